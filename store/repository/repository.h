// Repository: one opened repository: where its parts lie, its format and its configuration.
//
// Opening reads the config and follows alternates; refs, index files and objects are read when
// asked for. Thread safety: const members may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/odb/alternates.h"
#include "store/odb/object_source.h"
#include "store/os/system.h"
#include "store/report/fault.h"
#include "store/repository/git_config.h"
#include "store/repository/grafts.h"
#include "store/repository/layout.h"
#include "store/repository/ref_store.h"
#include "store/repository/repository_format.h"
#include "store/repository/worktrees.h"

namespace assay {

class Repository {
 public:
  // `system` must outlive the repository. Errors are those at which git dies (exit status 128).
  static Result<Repository> open(os::System& system, const OpenOptions& options);

  os::System& system() const { return *system_; }
  const RepositoryLayout& layout() const { return layout_; }
  const std::string& git_dir() const { return layout_.git_dir; }
  const std::string& common_dir() const { return layout_.common_dir; }
  const std::string& objects_dir() const { return layout_.objects_dir; }
  const std::string& index_file() const { return layout_.index_file; }
  bool is_bare() const { return layout_.work_tree.empty(); }

  HashKind hash_kind() const { return format_.hash_kind; }
  const RepositoryFormat& format() const { return format_; }
  const GitConfig& config() const { return config_; }

  // True when absent objects may be promised by a remote (partial clone).
  bool has_promisor_remote() const { return has_promisor_remote_; }

  // The main object directory, then the alternates in git's order.
  std::vector<ObjectSource> object_sources() const;
  // What git says about alternates; warnings.
  const std::vector<Fault>& alternate_problems() const { return directories_.problems; }
  // Of each of them: the file that it is about; empty if it is none.
  const std::vector<std::string>& alternate_problem_files() const {
    return directories_.problem_files;
  }

  // The main worktree first. Listed at each call.
  WorktreeList worktrees() const;
  // Never fails: what cannot be read is told by the store.
  RefStore refs() const;
  // Commits whose parents are hidden. Errors: "bad shallow line".
  Result<std::vector<ObjectId>> shallow() const;
  Grafts grafts() const;
  // The files that those two read.
  const std::string& shallow_file() const { return shallow_file_; }
  const std::string& graft_file() const { return graft_file_; }
  // Grafts and shallow commits together, as the walk needs them; shallow ones have no parents.
  // Errors: "bad shallow line".
  Result<CommitParents> substituted_parents() const;

  // Returns: the path as git would print it: ".git/objects/..." instead of "/top/.git/objects/...".
  std::string shown_path(std::string_view path) const;

 private:
  os::System* system_ = nullptr;
  RepositoryLayout layout_;
  RepositoryFormat format_;
  GitConfig config_;
  ObjectDirectories directories_;
  std::string shallow_file_;
  std::string graft_file_;
  bool has_promisor_remote_ = false;
};

}  // namespace assay
