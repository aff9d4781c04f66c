// The rules of ref names (git-check-ref-format(1)).
//
// No component may begin with "." or end with ".lock"; no "..", "@{", "//", control byte, space,
// or one of ~ ^ : ? * [ \; no "." or "/" at the end; not "@" alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

// Bytes; no longer path can be opened.
constexpr std::size_t kMaxRefNameSize = 4096;

// Returns: true for a name such as "refs/heads/main"; one component is enough if `one_level`.
bool is_valid_ref_name(std::string_view name, bool one_level = false);

// True for refs that lie directly in the git directory: HEAD, names of upper case letters, "-" and
// "_" that end in _HEAD, and AUTO_MERGE, BISECT_EXPECTED_REV, NOTES_MERGE_PARTIAL,
// NOTES_MERGE_REF, MERGE_AUTOSTASH. FETCH_HEAD and MERGE_HEAD hold more than a ref and are none.
bool is_root_ref_name(std::string_view name);

// True for names made of upper case letters, "-" and "_" only.
bool has_root_ref_syntax(std::string_view name);

// FETCH_HEAD and MERGE_HEAD.
bool is_pseudo_ref_name(std::string_view name);

// True for refs of which every worktree has its own: names with the syntax of root refs,
// refs/bisect/, refs/worktree/, refs/rewritten/.
bool is_per_worktree_ref(std::string_view name);

// True for a name that may serve as a path below a git directory even though it breaks the rules
// above: below refs/, without empty, "." and ".." components; or upper case letters and "_".
bool is_safe_ref_name(std::string_view name);

// Where a ref lies, seen from one worktree. "worktrees/ID/HEAD" is HEAD of the worktree ID,
// "main-worktree/HEAD" that of the main one.
enum class WorktreeRefPlace : std::uint8_t {
  kShared,
  kCurrentWorktree,
  kMainWorktree,
  kOtherWorktree
};
struct WorktreeRefName {
  WorktreeRefPlace place = WorktreeRefPlace::kShared;
  std::string_view worktree;  // ID, for kOtherWorktree only
  std::string_view name;      // without the prefix
};
// Returns: views into `name`.
WorktreeRefName split_worktree_ref(std::string_view name);

}  // namespace assay
