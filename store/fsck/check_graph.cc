#include "store/fsck/check_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "store/fsck/copy_reader.h"
#include "store/object/commit.h"
#include "store/object/tag.h"
#include "store/object/tree_entry.h"

namespace assay {
namespace {

// Object numbers as a set of bits.
using NumberSet = std::vector<bool>;

NumberSet numbers_in_packs(const Storage& storage) {
  NumberSet result(storage.table().size(), false);
  for (const StoredPack& pack : storage.packs()) {
    for (const std::uint32_t number : pack.numbers) result[number] = true;
  }
  return result;
}

class GraphCheck {
 public:
  GraphCheck(const Storage& storage, LinkLedger& ledger, const RootTable& roots,
             const ObjectIdSet& promised, const std::vector<FalseLink>& false_links,
             const GraphOptions& graph, const StorageCheckOptions& options, FindingSink& findings)
      : storage_(storage),
        ledger_(ledger),
        roots_(roots),
        promised_(promised),
        false_links_(false_links),
        graph_(graph),
        options_(options),
        findings_(findings),
        unreachable_(storage.table().size(), false) {}

  void run();

 private:
  bool is_present(std::uint32_t number) const {
    return ledger_.present_type(number) != ObjectType::kUnknown;
  }
  bool is_dangling(std::uint32_t number) const {
    return is_present(number) && !ledger_.has_links(number) && !roots_.is_root(number);
  }
  std::vector<std::uint32_t> dangling() const;
  bool something_is_missing() const;
  void find_unreachable(std::vector<std::uint32_t> dangling);
  void take_back_links(const CopyReader::Object& object, std::uint32_t number,
                       std::vector<std::uint32_t>& waiting);
  void take_back(std::uint32_t parent, const ObjectId& target, ObjectType type,
                 std::vector<std::uint32_t>& waiting);
  bool is_false(std::uint32_t parent, std::uint32_t target, ObjectType type) const;
  void report_false();
  void report_absent();
  void report_damaged();
  void report_present(const std::vector<std::uint32_t>& dangling);
  void report_missing(ObjectType type, const ObjectId& id);
  void report(MessageId id, ObjectType type, const ObjectId& oid, std::string text);
  void report_broken_link(std::uint32_t parent, ObjectType type, const ObjectId& oid,
                          std::string text);
  void add(Finding finding);

  const Storage& storage_;
  LinkLedger& ledger_;
  const RootTable& roots_;
  const ObjectIdSet& promised_;
  const std::vector<FalseLink>& false_links_;
  const GraphOptions& graph_;
  const StorageCheckOptions& options_;
  FindingSink& findings_;
  NumberSet unreachable_;
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
  finding.text = std::move(text);
  add(std::move(finding));
}

void GraphCheck::add(Finding finding) {
  finding.severity = message(finding.id).severity;
  finding.bit = message(finding.id).bit;
  const bool link = finding.id == MessageId::kBrokenLink;
  finding.order = {link ? kPhaseLinks : kPhaseGraph, 0, reported_++, 0};
  findings_.add(std::move(finding));
}

void GraphCheck::report_missing(ObjectType type, const ObjectId& id) {
  report(MessageId::kMissing, type, id, fmt::format("missing {} {}", type_name(type), id.hex()));
}

std::vector<std::uint32_t> GraphCheck::dangling() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
    if (is_dangling(number)) result.push_back(number);
  }
  return result;
}

bool GraphCheck::something_is_missing() const {
  if (!ledger_.missing().empty() || !false_links_.empty()) return true;
  for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
    if (!is_present(number) && ledger_.has_links(number)) return true;
  }
  return false;
}

bool GraphCheck::is_false(std::uint32_t parent, std::uint32_t target, ObjectType type) const {
  return std::any_of(false_links_.begin(), false_links_.end(), [&](const FalseLink& link) {
    return link.parent == parent && link.target == target && link.type == type;
  });
}

void GraphCheck::take_back(std::uint32_t parent, const ObjectId& target, ObjectType type,
                           std::vector<std::uint32_t>& waiting) {
  const std::uint32_t number = storage_.table().find(target);
  if (number == ObjectTable::kAbsent || is_false(parent, number, type)) return;
  if (ledger_.take_back_link(number) != 0 || roots_.is_root(number)) return;
  unreachable_[number] = true;
  if (is_present(number)) waiting.push_back(number);
}

void GraphCheck::take_back_links(const CopyReader::Object& object, std::uint32_t number,
                                 std::vector<std::uint32_t>& waiting) {
  const HashKind kind = storage_.kind();
  const ObjectId id = storage_.table().id(number);
  if (object.type == ObjectType::kTree) {
    TreeEntry entry;
    for (std::size_t at = 0; at < object.bytes.size(); at += entry.size) {
      if (!parse_tree_entry(ByteView(object.bytes).subspan(at), kind, entry)) return;
      if (entry_kind(entry.mode) == TreeObjectKind::kGitlink) continue;
      const bool is_tree = entry_kind(entry.mode) == TreeObjectKind::kTree;
      take_back(number, ObjectId::from_raw(entry.id, kind),
                is_tree ? ObjectType::kTree : ObjectType::kBlob, waiting);
    }
  } else if (object.type == ObjectType::kCommit) {
    const auto commit = parse_commit(object.bytes, id);
    if (!commit) return;
    take_back(number, commit->tree, ObjectType::kTree, waiting);
    const auto replaced = options_.verify.parents->find(id);
    const auto& parents =
        replaced != options_.verify.parents->end() ? replaced->second : commit->parents;
    for (const ObjectId& parent : parents) {
      take_back(number, parent, ObjectType::kCommit, waiting);
    }
  } else if (object.type == ObjectType::kTag) {
    const auto tag = parse_tag(object.bytes, id);
    if (tag) take_back(number, tag->target, tag->target_type, waiting);
  }
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
    const auto object = reader.read(number);
    if (object) take_back_links(*object, number, waiting);
  }
}

// Objects without any file. git names one parent for each: the first in its own walk. Ours is the
// first by object id.
void GraphCheck::report_absent() {
  struct Absent {
    std::uint32_t parent;
    ObjectType type;
  };
  std::map<ObjectId, Absent> absent;
  for (const MissingLink& link : ledger_.missing()) {
    if (!is_present(link.parent) || unreachable_[link.parent]) continue;
    if (promised_.contains(link.target)) continue;
    const auto [found, added] = absent.emplace(link.target, Absent{link.parent, link.type});
    if (!added && link.parent < found->second.parent) found->second = {link.parent, link.type};
  }
  for (const auto& [id, link] : absent) {
    // git knows the empty tree without any file: the link is sound, the object missing.
    if (id == empty_tree_id(storage_.kind())) continue;
    const ObjectType parent_type = ledger_.present_type(link.parent);
    report_broken_link(
        link.parent, link.type, id,
        fmt::format("broken link from {:>7} {}\n              to {:>7} {}", type_name(parent_type),
                    storage_.table().id(link.parent).hex(), type_name(link.type), id.hex()));
  }
  for (const auto& [id, type] : roots_.demanded()) {
    if (storage_.table().find(id) != ObjectTable::kAbsent || promised_.contains(id)) continue;
    absent.emplace(id, Absent{0, type});
  }
  for (const auto& [id, link] : absent) report_missing(link.type, id);
}

// git's walk cannot even look up what such a link names.
void GraphCheck::report_false() {
  for (const FalseLink& link : false_links_) {
    if (!is_present(link.parent) || unreachable_[link.parent]) continue;
    const ObjectId parent = storage_.table().id(link.parent);
    report_broken_link(link.parent, link.type, storage_.table().id(link.target),
                       fmt::format("broken link from {:>7} {}\nbroken link from {:>7} unknown",
                                   type_name(ledger_.present_type(link.parent)), parent.hex(),
                                   type_name(link.type)));
  }
}

// Objects all of whose copies are damaged. git calls those missing that have no packed copy.
void GraphCheck::report_damaged() {
  const NumberSet packed = numbers_in_packs(storage_);
  for (std::uint32_t number = 0; number < storage_.table().size(); ++number) {
    if (is_present(number) || packed[number] || unreachable_[number]) continue;
    const ObjectId id = storage_.table().id(number);
    ObjectType type = ObjectType::kUnknown;
    for (const ObjectType as :
         {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
      if (type == ObjectType::kUnknown && ledger_.is_expected_as(number, as)) type = as;
    }
    if (type == ObjectType::kUnknown) {
      const auto demanded = roots_.demanded().find(id);
      if (demanded == roots_.demanded().end()) continue;
      type = demanded->second;
    }
    report_missing(type, id);
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

void GraphCheck::run() {
  const std::vector<std::uint32_t> loose_ends = dangling();
  // With no loose end everything is reachable, so nothing has to be walked.
  if (!loose_ends.empty() && (graph_.show_unreachable || something_is_missing())) {
    find_unreachable(loose_ends);
  }
  report_false();
  report_absent();
  report_damaged();
  report_present(loose_ends);
}

}  // namespace

ObjectIdSet promised_objects(const Storage& storage, const LinkLedger& ledger) {
  ObjectIdSet promised;
  NumberSet from_promisor(storage.table().size(), false);
  bool any = false;
  for (const StoredPack& pack : storage.packs()) {
    if (!pack.promisor) continue;
    any = true;
    for (const std::uint32_t number : pack.numbers) from_promisor[number] = true;
  }
  if (!any) return promised;
  for (const MissingLink& link : ledger.missing()) {
    if (from_promisor[link.parent]) promised.insert(link.target);
  }
  return promised;
}

void check_graph(const Storage& storage, LinkLedger& ledger, const RootTable& roots,
                 const ObjectIdSet& promised, const std::vector<FalseLink>& false_links,
                 const GraphOptions& graph, const StorageCheckOptions& options,
                 FindingSink& findings) {
  GraphCheck(storage, ledger, roots, promised, false_links, graph, options, findings).run();
}

}  // namespace assay
