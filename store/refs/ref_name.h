// The rules of ref names (git-check-ref-format(1)).
//
// No component may begin with "." or end with ".lock"; no "..", "@{", "//", control byte, space,
// or one of ~ ^ : ? * [ \; no "." or "/" at the end; not "@" alone.
#pragma once

#include <string_view>

namespace assay {

// Returns: true for a name such as "refs/heads/main"; one component is enough if `one_level`.
bool is_valid_ref_name(std::string_view name, bool one_level = false);

// True for HEAD, and for names of upper case letters, "-" and "_" that end in _HEAD, and a few
// older ones (AUTO_MERGE, BISECT_EXPECTED_REV, NOTES_MERGE_PARTIAL, NOTES_MERGE_REF,
// MERGE_AUTOSTASH): refs that lie directly in the git directory.
bool is_root_ref_name(std::string_view name);

// True for a file name that could be a root ref: upper case letters, digits, "-" and "_".
bool has_root_ref_syntax(std::string_view name);

// True for refs of which every worktree has its own: root refs, refs/bisect/, refs/worktree/,
// refs/rewritten/.
bool is_per_worktree_ref(std::string_view name);

// True for a name that is safe to use as a path below a git directory even though it may break
// the rules above: below refs/, no ".." that climbs, no empty or "." component.
bool is_safe_ref_name(std::string_view name);

}  // namespace assay
