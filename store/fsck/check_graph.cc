#include "store/fsck/check_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "store/fsck/copy_reader.h"
#include "store/fsck/graph_members.h"
#include "store/fsck/graph_numbers.h"
#include "store/fsck/graph_replay.h"
#include "store/fsck/object_links.h"
#include "store/fsck/object_places.h"
#include "store/fsck/phases.h"

namespace assay {
namespace {

// Object numbers as a set of bits.
using NumberSet = std::vector<bool>;

NumberSet numbers_in_promisor_packs(const Storage& storage) {
  NumberSet result(storage.table().size(), false);
  for (const StoredPack& pack : storage.packs()) {
    if (!pack.promisor) continue;
    for (const std::uint32_t number : pack.numbers) result[number] = true;
  }
  return result;
}

// Those that git would look for in a pack: it has not given up the pack for them.
NumberSet numbers_in_packs(const Storage& storage, const LinkLedger& ledger) {
  NumberSet result(storage.table().size(), false);
  for (const StoredPack& pack : storage.packs()) {
    for (const std::uint32_t number : pack.numbers) {
      if (!ledger.is_bad_base(pack.file, number)) result[number] = true;
    }
  }
  return result;
}

// Those of which every file is a pack that git has given up for them. None, if no pack is bad.
NumberSet numbers_given_up(const Storage& storage, const LinkLedger& ledger,
                           const NumberSet& packed) {
  if (!ledger.has_bad_bases()) return {};
  NumberSet result(storage.table().size(), false);
  for (const StoredPack& pack : storage.packs()) {
    for (const std::uint32_t number : pack.numbers) result[number] = !packed[number];
  }
  for (const StoredFanout& fanout : storage.fanouts()) {
    for (const std::uint32_t number : fanout.numbers) result[number] = false;
  }
  return result;
}

class GraphCheck {
 public:
  GraphCheck(const Storage& storage, LinkLedger& ledger, const RootTable& roots,
             const Promises& promises, const std::vector<FalseLink>& false_links,
             const GraphOptions& graph, const StorageCheckOptions& options, FindingSink& findings)
      : storage_(storage),
        ledger_(ledger),
        roots_(roots),
        promises_(promises),
        false_links_(false_links),
        graph_(graph),
        options_(options),
        findings_(findings),
        numbers_(ledger, roots),
        packed_(numbers_in_packs(storage, ledger)),
        given_up_(numbers_given_up(storage, ledger, packed_)),
        unreachable_(storage.table().size(), false) {}

  std::vector<std::uint32_t> run();

 private:
  bool is_present(std::uint32_t number) const {
    return !numbers_.is_absent(number) && ledger_.present_type(number) != ObjectType::kUnknown;
  }
  bool is_dangling(std::uint32_t number) const {
    return is_present(number) && !ledger_.has_links(number) && !roots_.is_root(number);
  }
  bool is_listed_elsewhere(const ObjectId& id) const {
    return graph_.is_listed_elsewhere && graph_.is_listed_elsewhere(id);
  }
  bool names_everything() const { return graph_.note && roots_.keeps_names(); }
  bool dangles_beside_promises() const {
    return promises_.any && options_.connectivity_only && graph_.show_dangling;
  }
  std::vector<std::uint32_t> dangling() const;
  std::vector<std::uint32_t> dangling_beside_promises() const;
  void settle_unread();
  std::vector<std::uint32_t> missing() const;
  void list_promised();
  void replay(const std::vector<std::uint32_t>& missing);
  void find_unreachable(std::vector<std::uint32_t> dangling);
  void take_back(std::uint32_t parent, const ObjectLink& link, std::vector<std::uint32_t>& waiting);
  bool is_false(std::uint32_t parent, std::uint32_t target, ObjectType type) const;
  void report_false_links();
  void report_broken_links();
  void report_missing(const std::vector<std::uint32_t>& missing);
  void report_present(const std::vector<std::uint32_t>& dangling);
  ObjectType type_of(std::uint32_t number) const;
  std::string describe(std::uint32_t number);
  void note_objects();
  void report(MessageId id, ObjectType type, const ObjectId& oid, std::string text);
  void report_broken_link(std::uint32_t parent, ObjectType type, const ObjectId& oid,
                          std::string text);
  void put_place(Finding& finding, const ObjectId& id) const;
  void add(Finding finding);

  const Storage& storage_;
  LinkLedger& ledger_;
  const RootTable& roots_;
  const Promises& promises_;
  const std::vector<FalseLink>& false_links_;
  const GraphOptions& graph_;
  const StorageCheckOptions& options_;
  FindingSink& findings_;
  const GraphNumbers numbers_;
  const NumberSet packed_;
  const NumberSet given_up_;
  NumberSet promised_;  // as far as the walk asks; by number of numbers_
  NumberSet unreachable_;
  std::optional<GraphReplay> replay_;
  std::uint64_t reported_ = 0;
};

void GraphCheck::report(MessageId id, ObjectType type, const ObjectId& oid, std::string text) {
  Finding finding;
  finding.id = id;
  finding.type = type;
  finding.oid = oid;
  finding.text = std::move(text);
  add(std::move(finding));
}

void GraphCheck::report_broken_link(std::uint32_t parent, ObjectType type, const ObjectId& oid,
                                    std::string text) {
  Finding finding;
  finding.id = MessageId::kBrokenLink;
  finding.type = type;
  finding.oid = oid;
  finding.from = storage_.table().id(parent);
  finding.from_type = ledger_.present_type(parent);
  put_place(finding, *finding.from);
  finding.text = std::move(text);
  add(std::move(finding));
}

// Of the object that the finding is about, or of the one that holds the link.
void GraphCheck::put_place(Finding& finding, const ObjectId& id) const {
  ObjectPlace place = place_of(storage_, ledger_, id);
  finding.file = std::move(place.file);
  finding.offset = place.offset;
}

void GraphCheck::add(Finding finding) {
  finding.severity = message(finding.id).severity;
  finding.bit = message(finding.id).bit;
  const bool link = finding.id == MessageId::kBrokenLink;
  finding.order = {link ? kPhaseLinks : kPhaseGraph, 0, reported_++, 0};
  findings_.add(std::move(finding));
}

// The type of an object, as whoever links to it says when none of its copies is good.
ObjectType GraphCheck::type_of(std::uint32_t number) const {
  if (numbers_.is_absent(number)) return numbers_.absent(number).type;
  if (is_present(number)) return ledger_.present_type(number);
  for (const ObjectType as :
       {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
    if (ledger_.is_expected_as(number, as)) return as;
  }
  const auto demanded = roots_.demanded().find(numbers_.id(number));
  return demanded != roots_.demanded().end() ? demanded->second : ObjectType::kUnknown;
}

// An id, and what git calls the object if names are wanted.
std::string GraphCheck::describe(std::uint32_t number) {
  const std::string hex = numbers_.id(number).hex();
  const std::string name = replay_ && roots_.keeps_names() ? replay_->name_of(number) : "";
  return name.empty() ? hex : fmt::format("{} ({})", hex, name);
}

void GraphCheck::note_objects() {
  if (!graph_.note) return;
  graph_.note(fmt::format("Checking connectivity ({} objects)", numbers_.count()));
  for (std::uint32_t number = 0; number < numbers_.count(); ++number) {
    graph_.note("Checking " + describe(number));
  }
}

std::vector<std::uint32_t> GraphCheck::dangling() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
    if (is_dangling(number)) result.push_back(number);
  }
  return result;
}

// With --connectivity-only git takes every object that has a name for present and reads only those
// that have links; it dies of what it cannot read then.
void GraphCheck::settle_unread() {
  if (!options_.connectivity_only) return;
  for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
    if (ledger_.links_claimed(number)) continue;
    const ObjectType type = type_of(number);
    ledger_.assume_present(number, type == ObjectType::kUnknown ? ObjectType::kBlob : type);
    if (type == ObjectType::kBlob || !ledger_.is_unreadable(number)) continue;
    if (!ledger_.has_links(number) && !roots_.is_root(number) && !graph_.show_dangling) continue;
    const ObjectId id = storage_.table().id(number);
    Finding finding;
    finding.id = MessageId::kObjectCorrupt;
    finding.severity = Severity::kError;
    finding.bit = ExitBit::kBitDies;
    finding.type = type;
    finding.oid = id;
    put_place(finding, id);
    finding.text = id.hex() + ": object corrupt or missing";
    finding.order = {kPhaseLinks, 0, reported_++, 0};
    findings_.add(std::move(finding));
  }
}

// Objects that something needs and of which there is no good copy. git does not call an object
// missing that some pack claims to hold, unless it has failed at what is made from it there.
std::vector<std::uint32_t> GraphCheck::missing() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t number = 0; number < numbers_.count(); ++number) {
    if (numbers_.is_absent(number)) {
      const ObjectId id = numbers_.id(number);
      if (promises_.absent.contains(id)) continue;
      if (is_listed_elsewhere(id)) continue;
      result.push_back(number);
    } else if (!is_present(number) && !packed_[number] && type_of(number) != ObjectType::kUnknown) {
      result.push_back(number);
    }
  }
  return result;
}

bool GraphCheck::is_false(std::uint32_t parent, std::uint32_t target, ObjectType type) const {
  return std::any_of(false_links_.begin(), false_links_.end(), [&](const FalseLink& link) {
    return link.parent == parent && link.target == target && link.type == type;
  });
}

// All that the packs of a promisor hold or link to: git's walk ends there.
void GraphCheck::list_promised() {
  promised_.assign(numbers_.count(), false);
  for (const ObjectId& id : promises_.absent) {
    const std::uint32_t number = numbers_.find(id);
    if (number != GraphNumbers::kNone) promised_[number] = true;
  }
  if (!promises_.any) return;
  const NumberSet held = numbers_in_promisor_packs(storage_);
  CopyReader reader(storage_, options_.memory);
  ledger_.trace().index(storage_.table().size());
  for (std::uint32_t number = 0; number < held.size(); ++number) {
    if (!held[number]) continue;
    promised_[number] = true;
    const auto record = ledger_.trace().record(number);
    // What a tree has in common with its base, the base links to.
    if (record.known && (record.base == LinkTrace::kNoBase || held[record.base])) {
      for (std::size_t i = 0; i < record.items.size(); ++i) {
        if ((record.items[i] & LinkTrace::kInherited) != 0) {
          ++i;
        } else if (record.items[i] != LinkTrace::kNoTarget) {
          promised_[record.items[i]] = true;
        }
      }
      continue;
    }
    for (const ObjectLink& link : read_links(reader, numbers_.id(number), number, storage_.kind(),
                                             *options_.verify.parents)) {
      const std::uint32_t target = numbers_.find(link.target);
      if (target != GraphNumbers::kNone) promised_[target] = true;
    }
  }
}

// Walks as git does: over everything where it does not go through all objects (it stops at what is
// promised, and at packs that are not to be read), else over what leads to something missing.
void GraphCheck::replay(const std::vector<std::uint32_t>& missing) {
  const bool stops = promises_.any || !options_.check_packs;
  const bool walk = dangles_beside_promises() || (stops && graph_.show_unreachable);
  const bool walk_all = stops || names_everything();
  if (missing.empty() && false_links_.empty() && !walk && !names_everything()) return;
  list_promised();
  GraphReplay::Settings settings;
  settings.parents = options_.verify.parents;
  settings.false_links = &false_links_;
  settings.promised = &promised_;
  settings.given_up = given_up_.empty() ? nullptr : &given_up_;
  settings.memory = options_.memory;
  replay_.emplace(storage_, ledger_, numbers_, roots_, settings);
  if (walk_all) replay_->run(nullptr);
  if (stops) {
    for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
      unreachable_[number] = !replay_->is_reached(number);
    }
  }
  if (walk_all) return;
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t number : missing) {
    if (!numbers_.is_absent(number)) ends.push_back(number);
  }
  for (const FalseLink& link : false_links_) ends.push_back(link.parent);
  const GraphMembers members(ledger_, numbers_, ends);
  replay_->run(&members);
}

void GraphCheck::take_back(std::uint32_t parent, const ObjectLink& link,
                           std::vector<std::uint32_t>& waiting) {
  const std::uint32_t number = storage_.table().find(link.target);
  if (number == ObjectTable::kAbsent || is_false(parent, number, link.type)) return;
  if (ledger_.take_back_link(number) != 0 || roots_.is_root(number)) return;
  unreachable_[number] = true;
  if (is_present(number)) waiting.push_back(number);
}

// An object without links that is no root is unreachable; without its links, others become so.
// Object ids are hashes of what they link to, so there are no cycles that could hold themselves.
void GraphCheck::find_unreachable(std::vector<std::uint32_t> waiting) {
  if (!ledger_.counting()) count_links(storage_, ledger_, options_);
  CopyReader reader(storage_, options_.memory);
  for (const std::uint32_t number : waiting) unreachable_[number] = true;
  while (!waiting.empty()) {
    const std::uint32_t number = waiting.back();
    waiting.pop_back();
    if (ledger_.present_type(number) == ObjectType::kBlob) continue;
    for (const ObjectLink& link : read_links(reader, numbers_.id(number), number, storage_.kind(),
                                             *options_.verify.parents)) {
      take_back(number, link, waiting);
    }
  }
}

void GraphCheck::report_broken_links() {
  auto links = replay_->broken_links();
  std::sort(links.begin(), links.end(),
            [](const auto& a, const auto& b) { return a.target < b.target; });
  for (const GraphReplay::BrokenLink& link : links) {
    const ObjectId id = numbers_.id(link.target);
    // git knows the empty tree without any file: the link is sound, the object missing.
    if (id == empty_tree_id(storage_.kind())) continue;
    if (numbers_.is_absent(link.target) && is_listed_elsewhere(id)) continue;
    const ObjectType type = type_of(link.target);
    report_broken_link(link.parent, type, id,
                       fmt::format("broken link from {:>7} {}\n              to {:>7} {}",
                                   type_name(type_of(link.parent)), describe(link.parent),
                                   type_name(type), describe(link.target)));
  }
}

// git's walk cannot even look up what such a link names.
void GraphCheck::report_false_links() {
  for (const FalseLink& link : replay_->false_links()) {
    report_broken_link(link.parent, link.type, numbers_.id(link.target),
                       fmt::format("broken link from {:>7} {}\nbroken link from {:>7} unknown",
                                   type_name(ledger_.present_type(link.parent)),
                                   describe(link.parent), type_name(link.type)));
  }
}

void GraphCheck::report_missing(const std::vector<std::uint32_t>& missing) {
  for (const std::uint32_t number : missing) {
    if (!replay_->is_reached(number) || promised_[number]) continue;
    const ObjectType type = type_of(number);
    report(MessageId::kMissing, type, numbers_.id(number),
           fmt::format("missing {} {}", type_name(type), describe(number)));
    if (numbers_.id(number) == empty_tree_id(storage_.kind())) {
      report(MessageId::kImplicitEmptyTree, type, numbers_.id(number),
             fmt::format("{} is the empty tree, which git has built in: nothing is lost",
                         numbers_.id(number).hex()));
    }
  }
}

void GraphCheck::report_present(const std::vector<std::uint32_t>& dangling) {
  if (graph_.show_unreachable) {
    for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
      if (!unreachable_[number] || !is_present(number)) continue;
      const ObjectId id = storage_.table().id(number);
      const ObjectType type = ledger_.present_type(number);
      report(MessageId::kUnreachable, type, id,
             fmt::format("unreachable {} {}", type_name(type), id.hex()));
    }
  } else if (graph_.show_dangling) {
    for (const std::uint32_t number : dangling) {
      const ObjectId id = storage_.table().id(number);
      const ObjectType type = ledger_.present_type(number);
      report(MessageId::kDangling, type, id,
             fmt::format("dangling {} {}", type_name(type), id.hex()));
    }
  }
}

// With --connectivity-only git's walk notes what it meets, and then reads the links of what it did
// not meet. What only a promised object links to is noted by neither: the walk ends there.
std::vector<std::uint32_t> GraphCheck::dangling_beside_promises() const {
  NumberSet held(storage_.table().size(), false);
  CopyReader reader(storage_, options_.memory);
  for (std::uint32_t number = 0; number < held.size(); ++number) {
    if (replay_->is_reached(number)) held[number] = true;
    if (replay_->is_reached(number) || !is_present(number)) continue;
    if (ledger_.present_type(number) == ObjectType::kBlob) continue;
    for (const ObjectLink& link : read_links(reader, numbers_.id(number), number, storage_.kind(),
                                             *options_.verify.parents)) {
      const std::uint32_t target = storage_.table().find(link.target);
      if (target != ObjectTable::kAbsent) held[target] = true;
    }
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t number = 0; number < held.size(); ++number) {
    if (is_present(number) && !held[number]) result.push_back(number);
  }
  return result;
}

std::vector<std::uint32_t> GraphCheck::run() {
  settle_unread();
  const std::vector<std::uint32_t> lost = missing();
  replay(lost);
  note_objects();
  std::vector<std::uint32_t> loose_ends =
      dangles_beside_promises() ? dangling_beside_promises() : dangling();
  if (replay_) {
    report_false_links();
    report_broken_links();
    report_missing(lost);
  }
  const bool walked_all = replay_ && (promises_.any || !options_.check_packs);
  // With no loose end everything is reachable, so nothing has to be taken away.
  if (graph_.show_unreachable && !walked_all && !loose_ends.empty()) find_unreachable(loose_ends);
  report_present(loose_ends);
  if (graph_.show_unreachable) loose_ends.clear();
  return loose_ends;
}

}  // namespace

Promises find_promises(const Storage& storage, const LinkLedger& ledger) {
  Promises promises;
  promises.any = std::any_of(storage.packs().begin(), storage.packs().end(),
                             [](const StoredPack& pack) { return pack.promisor; });
  if (!promises.any) return promises;
  const NumberSet held = numbers_in_promisor_packs(storage);
  for (const MissingLink& link : ledger.missing()) {
    if (held[link.parent]) promises.absent.insert(link.target);
  }
  return promises;
}

std::vector<std::uint32_t> check_graph(const Storage& storage, LinkLedger& ledger,
                                       const RootTable& roots, const Promises& promises,
                                       const std::vector<FalseLink>& false_links,
                                       const GraphOptions& graph,
                                       const StorageCheckOptions& options, FindingSink& findings) {
  return GraphCheck(storage, ledger, roots, promises, false_links, graph, options, findings).run();
}

}  // namespace assay
