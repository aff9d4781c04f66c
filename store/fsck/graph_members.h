// GraphMembers: the objects from which certain others can be reached, and their links among each
// other. A walk over these alone meets them in the same order as a walk over everything: what is
// left out leads to none of them.
//
// Answers come from the LinkTrace, in which a tree costs as much as its delta has operations. What
// the trace does not know (it ran out of room, or a bad copy spoilt it) counts as a member, and its
// links are for others to read.
//
// Thread safety: none.
#pragma once

#include <span>
#include <vector>

#include "store/fsck/graph_numbers.h"
#include "store/fsck/link_trace.h"

namespace assay {

class GraphMembers {
 public:
  // `ends`: present or damaged objects that are to be reached. Absent ones always are.
  GraphMembers(LinkLedger& ledger, const GraphNumbers& numbers,
               const std::vector<std::uint32_t>& ends);

  bool is_member(std::uint32_t number) const { return member_[number]; }
  // False when the links of this member have to be read.
  bool has_links(std::uint32_t number) const {
    return trace_.has_record(number) && !unlisted_[number];
  }
  // Appends the targets of its links that are members or absent.
  void append_links(std::uint32_t number, std::vector<std::uint32_t>& targets) const;

 private:
  // An entry of a tree that leads to a member.
  struct Entry {
    std::uint32_t index;
    std::uint32_t target;
  };
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void list_absent_links();
  void mark_unrecorded();
  bool sweep_trees();
  void take_all_trees();
  bool list_tree_entries(const LinkTrace::Record& record);
  void spread_over(const std::vector<LinkTrace::Place>& places, ObjectType type);
  bool leads_to_member(std::span<const std::uint32_t> targets) const;

  LinkLedger& ledger_;
  const LinkTrace& trace_;
  const GraphNumbers& numbers_;
  std::vector<bool> member_;
  std::vector<bool> unlisted_;  // trees for whose entries there was no room
  std::vector<std::pair<std::uint32_t, std::uint32_t>> absent_links_;  // parent, target; sorted
  std::vector<LinkTrace::Place> trees_;                                // bases first
  std::vector<LinkTrace::Place> commits_;
  std::vector<LinkTrace::Place> tags_;
  std::vector<bool> listed_;   // trees with a range
  std::vector<Range> ranges_;  // of entries_, by object number
  std::vector<Entry> entries_;
};

}  // namespace assay
