#include "store/fsck/graph_members.h"

#include <algorithm>

namespace assay {
namespace {

// A hostile pack may hold any number of trees with any number of entries in common.
constexpr std::size_t kMaxEntries = std::size_t{1} << 24;
// A sweep over the trees climbs at least one level of folders; nobody nests them so deep but to
// keep us busy.
constexpr int kMaxSweeps = 64;

}  // namespace

GraphMembers::GraphMembers(LinkLedger& ledger, const GraphNumbers& numbers,
                           const std::vector<std::uint32_t>& ends)
    : ledger_(ledger),
      trace_(ledger.trace()),
      numbers_(numbers),
      member_(numbers.count(), false),
      unlisted_(numbers.present_count(), false),
      listed_(numbers.present_count(), false),
      ranges_(numbers.present_count()) {
  ledger.trace().index(numbers.present_count());
  for (const LinkTrace::Place place : trace_.in_order()) {
    switch (ledger.present_type(trace_.record_at(place).number)) {
      case ObjectType::kTree:
        trees_.push_back(place);
        break;
      case ObjectType::kCommit:
        commits_.push_back(place);
        break;
      case ObjectType::kTag:
        tags_.push_back(place);
        break;
      default:
        break;
    }
  }

  for (const std::uint32_t number : ends) member_[number] = true;
  for (std::uint32_t number = numbers.present_count(); number < numbers.count(); ++number) {
    member_[number] = true;
  }
  list_absent_links();

  mark_unrecorded();

  for (int sweeps = 0; sweep_trees();) {
    if (++sweeps < kMaxSweeps) continue;
    take_all_trees();
    break;
  }

  spread_over(commits_, ObjectType::kCommit);
  spread_over(tags_, ObjectType::kTag);
}

void GraphMembers::list_absent_links() {
  for (const MissingLink& link : ledger_.missing()) {
    const std::uint32_t target = numbers_.find(link.target);
    absent_links_.emplace_back(link.parent, target);
    member_[link.parent] = true;
  }
  std::sort(absent_links_.begin(), absent_links_.end());
  absent_links_.erase(std::unique(absent_links_.begin(), absent_links_.end()), absent_links_.end());
}

void GraphMembers::mark_unrecorded() {
  for (std::uint32_t number = 0; number < numbers_.present_count(); ++number) {
    const ObjectType type = ledger_.present_type(number);
    if (type == ObjectType::kUnknown || type == ObjectType::kBlob) continue;
    if (!trace_.has_record(number)) member_[number] = true;
  }
}

// Appends the entries of the tree that lead to members; those of its base are known.
// Returns: false when there is no room for them.
bool GraphMembers::list_tree_entries(const LinkTrace::Record& record) {
  const bool derived = record.base != LinkTrace::kNoBase;
  if (derived && unlisted_[record.base]) return false;
  const Range base = derived && listed_[record.base] ? ranges_[record.base] : Range{};
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < record.items.size(); ++i) {
    const std::uint32_t item = record.items[i];
    if ((item & LinkTrace::kInherited) == 0) {
      if (item != LinkTrace::kNoTarget && member_[item]) entries_.push_back({index, item});
      ++index;
      continue;
    }
    const std::uint32_t count = item & ~LinkTrace::kInherited;
    const std::uint32_t first = record.items[++i];
    index += count;
    if (base.begin == base.end) continue;
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(base.begin);
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(base.end);
    auto at =
        static_cast<std::size_t>(std::lower_bound(begin, end, first,
                                                  [](const Entry& entry, std::uint32_t wanted) {
                                                    return entry.index < wanted;
                                                  }) -
                                 entries_.begin());
    for (; at < base.end && entries_[at].index - first < count; ++at) {
      if (entries_.size() >= kMaxEntries) return false;
      const Entry entry = entries_[at];
      entries_.push_back({index - count + (entry.index - first), entry.target});
    }
  }
  return entries_.size() < kMaxEntries;
}

// Returns: true when there were new members.
bool GraphMembers::sweep_trees() {
  bool changed = false;
  entries_.clear();
  for (const LinkTrace::Place place : trees_) {
    const LinkTrace::Record record = trace_.record_at(place);
    const std::uint32_t number = record.number;
    const std::size_t begin = entries_.size();
    if (unlisted_[number] || !list_tree_entries(record)) {
      entries_.resize(begin);
      unlisted_[number] = true;
    }
    if (begin == entries_.size()) {
      if (!unlisted_[number]) continue;
    } else {
      listed_[number] = true;
      ranges_[number] = {begin, entries_.size()};
    }
    if (member_[number]) continue;
    member_[number] = true;
    changed = true;
  }
  return changed;
}

// Every tree is a member, and its links are to be read. More members than need be make no other
// answer: they lead nowhere.
void GraphMembers::take_all_trees() {
  entries_.clear();
  for (const LinkTrace::Place place : trees_) {
    const std::uint32_t number = trace_.record_at(place).number;
    member_[number] = true;
    unlisted_[number] = true;
    listed_[number] = false;
  }
}

bool GraphMembers::leads_to_member(std::span<const std::uint32_t> targets) const {
  return std::any_of(targets.begin(), targets.end(), [this](std::uint32_t target) {
    return target != LinkTrace::kNoTarget && member_[target];
  });
}

// A commit or tag is a member when what it names is: from those that name a member to all of their
// type that lead to them. Each link is followed once, however long a chain somebody made.
void GraphMembers::spread_over(const std::vector<LinkTrace::Place>& places, ObjectType type) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> namers;  // target, who names it
  std::vector<std::uint32_t> waiting;
  for (const LinkTrace::Place place : places) {
    const LinkTrace::Record record = trace_.record_at(place);
    const std::uint32_t number = record.number;
    if (member_[number] || leads_to_member(record.items)) {
      member_[number] = true;
      waiting.push_back(number);
    }
    for (const std::uint32_t target : record.items) {
      if (target != LinkTrace::kNoTarget && ledger_.present_type(target) == type) {
        namers.emplace_back(target, number);
      }
    }
  }
  // Members whose links nobody recorded are named as well.
  for (std::uint32_t number = 0; number < numbers_.present_count(); ++number) {
    if (member_[number] && ledger_.present_type(number) == type && !trace_.has_record(number)) {
      waiting.push_back(number);
    }
  }
  std::sort(namers.begin(), namers.end());
  while (!waiting.empty()) {
    const std::uint32_t target = waiting.back();
    waiting.pop_back();
    auto namer = std::lower_bound(namers.begin(), namers.end(), std::pair(target, 0u));
    for (; namer != namers.end() && namer->first == target; ++namer) {
      if (member_[namer->second]) continue;
      member_[namer->second] = true;
      waiting.push_back(namer->second);
    }
  }
}

void GraphMembers::append_links(std::uint32_t number, std::vector<std::uint32_t>& targets) const {
  if (ledger_.present_type(number) == ObjectType::kTree) {
    const Range range = listed_[number] ? ranges_[number] : Range{};
    for (std::size_t at = range.begin; at < range.end; ++at) {
      targets.push_back(entries_[at].target);
    }
  } else {
    for (const std::uint32_t target : trace_.record(number).items) {
      if (target != LinkTrace::kNoTarget && member_[target]) targets.push_back(target);
    }
  }
  auto absent = std::lower_bound(absent_links_.begin(), absent_links_.end(), std::pair(number, 0u));
  for (; absent != absent_links_.end() && absent->first == number; ++absent) {
    targets.push_back(absent->second);
  }
}

}  // namespace assay
