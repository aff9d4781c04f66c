// Worktrees: the main worktree and every linked one (git worktree add).
//
// Linked worktrees are the directories under `worktrees/` of the common directory.
// Source of the layout: gitrepository-layout(5), "worktrees".
#pragma once

#include <string>
#include <vector>

#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

struct Worktree {
  std::string id;       // empty for the main worktree, else the name under worktrees/
  std::string git_dir;  // where its HEAD, index, logs and private refs lie
  bool is_current = false;

  // The prefix of refs of this worktree in the eyes of another: "" or "worktrees/ID/".
  std::string ref_prefix() const { return id.empty() ? "" : "worktrees/" + id + "/"; }
};

struct WorktreeList {
  std::vector<Worktree> worktrees;  // main first, then by id
  std::vector<Fault> problems;      // an unreadable worktrees directory
};

// `git_dir` says which of them is the current one.
WorktreeList list_worktrees(os::System& system, const std::string& common_dir,
                            const std::string& git_dir);

}  // namespace assay
