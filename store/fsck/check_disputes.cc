#include "store/fsck/check_disputes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "store/fsck/copy_reader.h"
#include "store/fsck/object_links.h"
#include "store/fsck/object_places.h"
#include "store/fsck/phases.h"

namespace assay {
namespace {

// One moment at which git hears of the type of a disputed object.
struct Hearing {
  std::size_t tip = 0;  // rank among the tips that are read first
  CopyKey when;
  std::uint32_t speaker = 0;  // the parent, or the object itself
  std::uint32_t object = 0;
  ObjectType type = ObjectType::kUnknown;
};

class DisputeCheck {
 public:
  DisputeCheck(const Storage& storage, LinkLedger& ledger, const std::vector<ObjectId>& tips,
               const StorageCheckOptions& options, FindingSink& findings)
      : storage_(storage), ledger_(ledger), options_(options), findings_(findings) {
    for (const ObjectId& tip : tips) {
      const std::uint32_t number = storage.table().find(tip);
      if (number != ObjectTable::kAbsent) tips_.emplace(number, tips_.size());
    }
    if (!options.check_packs) read_unread_tips();
  }

  // Returns: true when objects ceased to be present, so that other disputes may have changed.
  bool run_once();
  std::vector<FalseLink> take_false_links();

 private:
  // What an object says of another, or of itself, that is not in the ledger.
  struct Claim {
    std::uint32_t speaker = 0;
    std::uint32_t object = 0;
    ObjectType type = ObjectType::kUnknown;
  };

  void read_unread_tips();
  bool is_unread(std::uint32_t number) const { return unread_.contains(number); }
  ObjectType type_of(std::uint32_t number) const {
    const auto found = unread_.find(number);
    return found != unread_.end() ? found->second : ledger_.present_type(number);
  }
  bool contradicts_ledger(const Claim& claim) const;
  std::vector<std::uint32_t> disputed() const;
  std::size_t tip_rank(std::uint32_t number) const {
    const auto found = tips_.find(number);
    return found != tips_.end() ? found->second : tips_.size();
  }
  void find_copies(const std::set<std::uint32_t>& numbers);
  void hear(const Hearing& hearing, ObjectType known);
  void blame(std::uint32_t number, MessageId id, std::string text, std::string cause,
             std::string second_cause);

  const Storage& storage_;
  LinkLedger& ledger_;
  const StorageCheckOptions& options_;
  FindingSink& findings_;
  std::map<std::uint32_t, std::size_t> tips_;  // object number to rank
  // Tips that lie in packs only, while packs are not checked, and what they are.
  std::map<std::uint32_t, ObjectType> unread_;
  std::vector<Claim> claims_;  // of these
  std::map<std::uint32_t, CopyKey> first_copies_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> heard_;  // speaker, object: said once
  std::vector<std::uint32_t> gone_;
  std::vector<FalseLink> false_links_;
};

// With --no-full git checks no packs, but it parses what refs name, wherever that lies, and goes by
// what it has heard there.
void DisputeCheck::read_unread_tips() {
  std::set<std::uint32_t> packed;
  for (const auto& [number, rank] : tips_) packed.insert(number);
  for (const StoredFanout& fanout : storage_.fanouts()) {
    for (const std::uint32_t number : fanout.numbers) packed.erase(number);
  }
  CopyReader reader(storage_, options_.memory);
  for (const std::uint32_t number : packed) {
    const ObjectId id = storage_.table().id(number);
    const auto object = reader.read(number);
    if (!object || !can_be_parsed(*object, id)) continue;
    unread_.emplace(number, object->type);
    claims_.push_back({number, number, object->type});
    if (object->type == ObjectType::kTree) continue;  // git looks at its entries only when it walks
    for (const ObjectLink& link :
         read_links(reader, id, number, storage_.kind(), *options_.verify.parents)) {
      const std::uint32_t target = storage_.table().find(link.target);
      if (target != ObjectTable::kAbsent) claims_.push_back({number, target, link.type});
    }
  }
}

bool DisputeCheck::contradicts_ledger(const Claim& claim) const {
  const ObjectType type = ledger_.present_type(claim.object);
  if (type != ObjectType::kUnknown && type != claim.type) return true;
  for (const ObjectType as :
       {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
    if (as != claim.type && ledger_.is_expected_as(claim.object, as)) return true;
  }
  return false;
}

std::vector<std::uint32_t> DisputeCheck::disputed() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
    if (ledger_.is_disputed(number)) result.push_back(number);
  }
  std::map<std::uint32_t, ObjectType> claimed;
  for (const Claim& claim : claims_) {
    if (ledger_.is_unparsable(claim.speaker)) continue;
    const auto first = claimed.emplace(claim.object, claim.type).first;
    if (first->second != claim.type || contradicts_ledger(claim)) result.push_back(claim.object);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void DisputeCheck::find_copies(const std::set<std::uint32_t>& numbers) {
  first_copies_.clear();
  const auto note = [&](std::uint32_t number, CopyKey key) {
    if (!numbers.contains(number)) return;
    const auto [found, added] = first_copies_.emplace(number, key);
    if (!added && key < found->second) found->second = key;
  };
  for (const StoredFanout& fanout : storage_.fanouts()) {
    for (std::uint32_t i = 0; i < fanout.numbers.size(); ++i) {
      note(fanout.numbers[i], {fanout.file, fanout.first_item + i});
    }
  }
  for (const StoredPack& pack : storage_.packs()) {
    for (std::uint32_t entry = 0; entry < pack.forest.size(); ++entry) {
      note(pack.numbers[pack.forest.index_position({entry}).value], {pack.file, entry});
    }
  }
}

void DisputeCheck::blame(std::uint32_t number, MessageId id, std::string text, std::string cause,
                         std::string second_cause) {
  const CopyKey key = first_copies_[number];
  const SourceFile& file = storage_.files()[key.file];
  Finding finding;
  finding.id = id;
  finding.severity = options_.verify.policy->severity(id);
  // As an object, and when packed as a fault of the pack, too; broken links count once.
  finding.bit = file.packed && id != MessageId::kBrokenLinks
                    ? ExitBit::kBitObject | ExitBit::kBitPack
                    : ExitBit::kBitObject;
  // Nobody checks this object: the bit is that of the ref that names it.
  if (is_unread(number)) finding.bit = ExitBit::kBitNone;
  finding.type = type_of(number);
  finding.oid = storage_.table().id(number);
  ObjectPlace place = place_of(storage_, key);
  finding.file = std::move(place.file);
  finding.offset = place.offset;
  finding.text = std::move(text);
  if (!cause.empty()) finding.causes.push_back(std::move(cause));
  if (!second_cause.empty()) finding.causes.push_back(std::move(second_cause));
  finding.order = {file.packed ? kPhasePacks : kPhaseLoose, key.file, key.item, kStoragePart};
  findings_.add(std::move(finding));
}

void DisputeCheck::hear(const Hearing& hearing, ObjectType known) {
  if (!heard_.emplace(hearing.speaker, hearing.object).second) return;
  const std::string object = storage_.table().id(hearing.object).hex();
  const std::string speaker = storage_.table().id(hearing.speaker).hex();
  const std::string clash =
      fmt::format("object {} is a {}, not a {}", object, type_name(known), type_name(hearing.type));
  const ObjectType speaker_type = type_of(hearing.speaker);
  if (speaker_type == ObjectType::kTree && hearing.speaker != hearing.object) {
    blame(hearing.speaker, MessageId::kBrokenLinks, "broken links", clash, "");
    false_links_.push_back({hearing.speaker, hearing.object, hearing.type});
    return;
  }
  std::string second;
  if (hearing.speaker != hearing.object) {
    if (speaker_type == ObjectType::kTag) {
      second = fmt::format("bad tag pointer to {} in {}", object, speaker);
    } else {
      second = fmt::format("bad {} {} in commit {}",
                           hearing.type == ObjectType::kTree ? "tree pointer" : "parent", object,
                           speaker);
    }
  }
  gone_.push_back(hearing.speaker);
  if (is_unread(hearing.speaker)) {
    const bool of_itself = second.empty();
    blame(hearing.speaker, MessageId::kObjectNotParsed, of_itself ? clash : second,
          of_itself ? "" : clash, "");
    return;
  }
  const SourceFile& file = storage_.files()[first_copies_[hearing.speaker].file];
  const std::string text = file.packed
                               ? speaker + ": object corrupt or missing"
                               : fmt::format("{}: object could not be parsed: {}/{}/{}", speaker,
                                             file.path, speaker.substr(0, 2), speaker.substr(2));
  blame(hearing.speaker, MessageId::kObjectNotParsed, text, clash, second);
}

bool DisputeCheck::run_once() {
  const std::vector<std::uint32_t> objects = disputed();
  if (objects.empty()) return false;
  ledger_.watch(objects);
  count_links(storage_, ledger_, options_);
  const auto links = ledger_.take_watched();
  std::set<std::uint32_t> speakers(objects.begin(), objects.end());
  for (const auto& link : links) speakers.insert(link.parent);
  for (const auto& [number, type] : unread_) speakers.insert(number);
  find_copies(speakers);

  std::vector<Hearing> hearings;
  for (const auto& link : links) {
    hearings.push_back(
        {tip_rank(link.parent), first_copies_[link.parent], link.parent, link.target, link.type});
  }
  for (const std::uint32_t object : objects) {
    const ObjectType type = ledger_.present_type(object);
    if (type != ObjectType::kUnknown) {
      hearings.push_back({tip_rank(object), first_copies_[object], object, object, type});
    }
  }
  for (const Claim& claim : claims_) {
    if (ledger_.is_unparsable(claim.speaker)) continue;
    if (!std::binary_search(objects.begin(), objects.end(), claim.object)) continue;
    hearings.push_back({tip_rank(claim.speaker), first_copies_[claim.speaker], claim.speaker,
                        claim.object, claim.type});
  }
  // Of the links of one parent to one object the order within the parent does not matter: only two
  // of different types differ, and of those one is wrong in any order.
  // What an object itself is comes before what it says of others.
  const auto rank = [](const Hearing& hearing) {
    return std::tuple(hearing.tip, hearing.when, hearing.speaker != hearing.object, hearing.object,
                      hearing.type);
  };
  std::sort(hearings.begin(), hearings.end(),
            [&](const Hearing& a, const Hearing& b) { return rank(a) < rank(b); });
  std::map<std::uint32_t, ObjectType> known;
  std::set<std::uint32_t> unparsed;
  for (const Hearing& hearing : hearings) {
    // An object that git failed to parse says nothing.
    if (unparsed.contains(hearing.speaker)) continue;
    const auto [found, first] = known.emplace(hearing.object, hearing.type);
    if (first || found->second == hearing.type) continue;
    const std::size_t before = gone_.size();
    hear(hearing, found->second);
    if (gone_.size() > before) unparsed.insert(hearing.speaker);
  }
  for (const std::uint32_t number : gone_) {
    if (is_unread(number) || (options_.connectivity_only && tips_.contains(number))) {
      // git believes that it is there, but parses what refs name.
      ledger_.set_unparsable(number);
    } else {
      ledger_.forget_present(number);
    }
  }
  const bool changed = !gone_.empty();
  gone_.clear();
  // Without the links of those that are gone.
  if (changed) count_links(storage_, ledger_, options_);
  return changed;
}

std::vector<FalseLink> DisputeCheck::take_false_links() {
  std::sort(false_links_.begin(), false_links_.end(), [](const FalseLink& a, const FalseLink& b) {
    return std::tie(a.parent, a.target) < std::tie(b.parent, b.target);
  });
  for (const FalseLink& link : false_links_) ledger_.remove_link(link.target, link.type);
  return std::move(false_links_);
}

}  // namespace

std::vector<FalseLink> check_disputes(const Storage& storage, LinkLedger& ledger,
                                      const std::vector<ObjectId>& tips,
                                      const StorageCheckOptions& options, FindingSink& findings) {
  DisputeCheck check(storage, ledger, tips, options, findings);
  while (check.run_once()) {
  }
  return check.take_false_links();
}

void drop_results_of_unparsed(const std::vector<Finding>& disputes,
                              std::vector<Finding>& findings) {
  std::set<ObjectId> unparsed;
  for (const Finding& finding : disputes) {
    if (finding.id == MessageId::kObjectNotParsed) unparsed.insert(*finding.oid);
  }
  if (unparsed.empty()) return;
  std::erase_if(findings, [&](const Finding& finding) {
    return (finding.id == MessageId::kRoot || finding.id == MessageId::kTagged) &&
           unparsed.contains(*finding.oid);
  });
}

}  // namespace assay
