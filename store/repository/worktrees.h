// Worktrees: the main worktree and every linked one (git worktree add).
//
// Linked worktrees are the directories under `worktrees/` of the common directory.
// Source of the layout: gitrepository-layout(5), "worktrees".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

struct Worktree {
  std::string id;       // empty for the main worktree, else the name under worktrees/
  std::string git_dir;  // where its HEAD, index, logs and private refs lie
  bool is_current = false;

  // Returns: what git calls the per-worktree ref `name` ("HEAD") of this worktree: the name itself
  // in the current one, else "main-worktree/NAME" or "worktrees/ID/NAME".
  std::string ref_name(std::string_view name) const;
};

struct WorktreeList {
  std::vector<Worktree> worktrees;  // main first, then by id
  std::vector<Fault> problems;      // an unreadable worktrees directory
};

// `git_dir` says which of them is the current one.
WorktreeList list_worktrees(os::System& system, const std::string& common_dir,
                            const std::string& git_dir);

}  // namespace assay
