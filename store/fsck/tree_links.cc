#include "store/fsck/tree_links.h"

#include <algorithm>

#include "store/fsck/rules/tree_rules.h"

namespace assay {
namespace {

// One record of the trace, from begin to end; nothing when this copy's links do not count.
class TraceScope {
 public:
  TraceScope(LinkWriter& links, std::uint32_t number, std::uint32_t base, bool counts)
      : trace_(links.trace()), active_(counts && trace_.is_open()) {
    if (active_) trace_.begin(number, base);
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope() {
    if (active_) trace_.end();
  }

 private:
  LinkTrace::Writer& trace_;
  bool active_;
};

}  // namespace

bool TreeLinks::inspect(const TreeEntry& entry, std::uint32_t quick) {
  return inspect_entry(entry, quick, kind_, special_);
}

void TreeLinks::add_link(const TreeEntry& entry, std::uint32_t number, std::uint32_t offset,
                         bool counts, TreeInfo* info) {
  const TreeObjectKind kind = entry_kind(entry.mode);
  const std::size_t traced =
      counts && links_.trace().is_open() ? links_.trace().add_new() : LinkWriter::kNotTraced;
  if (kind == TreeObjectKind::kGitlink) return;
  if (!counts && info == nullptr) return;
  links_.add(number, entry.id,
             kind == TreeObjectKind::kTree ? ObjectType::kTree : ObjectType::kBlob, counts, offset,
             info != nullptr ? &info->missing : nullptr, traced);
}

void TreeLinks::complete(TreeInfo& info) {
  links_.flush();
  std::sort(info.missing.begin(), info.missing.end());
}

TreeLinks::Outcome TreeLinks::parse(std::uint32_t number, ByteView body, bool counts,
                                    TreeInfo* info) {
  Outcome outcome;
  TreeOrder order;
  TreeEntry entry;
  std::size_t at = 0;
  const TraceScope trace(links_, number, LinkTrace::kNoBase, counts);
  if (info != nullptr) info->number = number;
  while (at < body.size()) {
    if (!parse_tree_entry(body.subspan(at), kind_, entry)) {
      outcome.malformed = outcome.unusual = true;
      return outcome;
    }
    outcome.unusual |= look_closer(entry);
    outcome.unusual |= order.add(entry);
    add_link(entry, number, static_cast<std::uint32_t>(at), counts, info);
    if (info != nullptr) info->starts.push_back(static_cast<std::uint32_t>(at));
    at += entry.size;
  }
  if (info != nullptr) info->starts.push_back(static_cast<std::uint32_t>(at));
  return outcome;
}

// The state of one difference parse: how far the entries of the result are known.
struct TreeLinks::Walk {
  TreeLinks& tree;
  std::uint32_t number;
  ByteView body;
  const TreeInfo& base;
  bool counts;
  TreeInfo* info;
  std::vector<std::uint32_t>& starts;  // of the result's entries so far
  Outcome outcome;
  std::size_t next = 0;  // where the next entry of the result begins
  bool has_previous = false;
  std::size_t hint = 0;  // index of the base entry that probably comes next

  bool entry_at(std::size_t at, TreeEntry& entry) const {
    return parse_tree_entry(body.subspan(at), tree.kind_, entry);
  }

  // A pair of neighbours that were not neighbours in the base. `at` is where `entry` begins.
  void check_order(const TreeEntry& entry, std::size_t at) {
    if (!has_previous) return;
    TreeEntry before;
    if (!entry_at(starts.back(), before)) return;
    const std::uint32_t order = pair_order(before, entry);
    if (order == 0) return;
    outcome.unusual |= (order & kPairWrong) != 0 ||
                       ((order & kPairOpens) != 0 && is_repeated_later(before.name, at)) ||
                       ((order & kPairCloses) != 0 && is_repeated_earlier(entry.name));
  }

  // True for an entry that stands between a file `name` and a directory `name` in git's order.
  static bool stands_between(std::string_view entry, std::string_view name) {
    return entry.size() > name.size() && entry.starts_with(name) &&
           static_cast<std::uint8_t>(entry[name.size()]) < '/';
  }

  bool is_repeated_later(std::string_view name, std::size_t at) const {
    TreeEntry entry;
    while (at < body.size() && entry_at(at, entry)) {
      if (!stands_between(entry.name, name)) return entry.name == name;
      at += entry.size;
    }
    return false;
  }

  bool is_repeated_earlier(std::string_view name) const {
    TreeEntry entry;
    for (std::size_t i = starts.size(); i-- > 0;) {
      if (!entry_at(starts[i], entry)) return false;
      if (!stands_between(entry.name, name)) return entry.name == name;
    }
    return false;
  }

  // One entry that is not inherited whole. Returns: false when it is malformed.
  bool take_new() {
    TreeEntry entry;
    if (!entry_at(next, entry)) {
      outcome.malformed = outcome.unusual = true;
      return false;
    }
    outcome.unusual |= tree.look_closer(entry);
    check_order(entry, next);
    tree.add_link(entry, number, static_cast<std::uint32_t>(next), counts, info);
    starts.push_back(static_cast<std::uint32_t>(next));
    has_previous = true;
    next += entry.size;
    return true;
  }

  // Returns: the index of the base entry that begins at `offset`, or none.
  std::size_t base_entry_at(std::size_t offset) {
    const auto& from = base.starts;
    if (hint < from.size() && from[hint] == offset) return hint;
    const auto found = std::lower_bound(from.begin(), from.end(), offset);
    return found != from.end() && *found == offset ? static_cast<std::size_t>(found - from.begin())
                                                   : from.size();
  }

  // Inherits base entries [first, last): they are copied whole.
  void take_inherited(std::size_t first, std::size_t last) {
    const std::uint32_t begin = base.starts[first];
    const std::uint32_t end = base.starts[last];
    TreeEntry entry;
    if (has_previous && entry_at(next, entry)) check_order(entry, next);
    const auto shift = static_cast<std::uint32_t>(next) - begin;
    const std::size_t old_size = starts.size();
    starts.resize(old_size + (last - first));
    std::uint32_t* to = starts.data() + old_size;
    for (std::size_t i = first; i < last; ++i) *to++ = base.starts[i] + shift;
    for (auto missing = std::lower_bound(base.missing.begin(), base.missing.end(), begin);
         missing != base.missing.end() && *missing < end; ++missing) {
      const std::uint32_t at = *missing + shift;
      if (info != nullptr) info->missing.push_back(at);
      if (counts && entry_at(at, entry)) {
        tree.links_.add_missing(number, entry.id,
                                entry_kind(entry.mode) == TreeObjectKind::kTree
                                    ? ObjectType::kTree
                                    : ObjectType::kBlob);
      }
    }
    if (counts && tree.links_.trace().is_open()) {
      tree.links_.trace().inherit(static_cast<std::uint32_t>(first),
                                  static_cast<std::uint32_t>(last - first));
    }
    has_previous = true;
    next += end - begin;
    hint = last;
  }

  // The result's bytes [out, out + size) are the base's from `offset` on.
  bool take_copy(std::size_t out, std::size_t offset, std::size_t size) {
    while (next < out) {
      if (!take_new()) return false;
    }
    const std::size_t limit = offset + size;
    while (next < out + size) {
      const std::size_t first = base_entry_at(offset + (next - out));
      const auto& from = base.starts;
      if (first + 1 < from.size() && from[first + 1] <= limit) {
        const auto after = std::upper_bound(from.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                            from.end(), limit);
        take_inherited(first, static_cast<std::size_t>(after - from.begin()) - 1);
      } else if (!take_new()) {
        return false;
      }
    }
    return true;
  }
};

TreeLinks::Outcome TreeLinks::parse_difference(std::uint32_t number, ByteView body,
                                               ByteView program, const TreeInfo& base, bool counts,
                                               TreeInfo* info) {
  std::vector<std::uint32_t>& starts = info != nullptr ? info->starts : scratch_starts_;
  starts.clear();
  starts.reserve(base.starts.size() + 8);
  if (info != nullptr) info->number = number;
  const TraceScope trace(links_, number, base.number, counts);
  Walk walk{*this, number, body, base, counts, info, starts, {}, 0, false, 0};
  DeltaCursor cursor(program);
  DeltaOperation operation;
  std::size_t out = 0;
  bool sound = true;
  while (sound && cursor.next(operation)) {
    if (operation.copy) sound = walk.take_copy(out, operation.offset, operation.size);
    out += operation.size;
  }
  while (sound && walk.next < body.size()) sound = walk.take_new();
  if (sound) starts.push_back(static_cast<std::uint32_t>(walk.next));
  return walk.outcome;
}

}  // namespace assay
