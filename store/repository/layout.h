// RepositoryLayout: where the parts of a repository lie.
//
// Found as git finds them: an explicit git directory (--git-dir, GIT_DIR) or upwards from a
// directory: `.git` directory, `.git` file ("gitdir: PATH"), the directory itself when it is a
// bare repository. GIT_COMMON_DIR, GIT_OBJECT_DIRECTORY and GIT_CEILING_DIRECTORIES are honoured.
// A repository without a config file is one. Ownership is no reason to refuse (safe.directory
// guards against running what a config says; we run nothing).
//
// Relative paths in options and environment start at `directory`, as if git had stepped there.
// Paths in the layout can be opened from the current directory of the process at discovery.
// Errors: kConfigBad in git's words ("not a git repository (or any of the parent directories):
// .git"); git dies there.
// Source of the layout: gitrepository-layout(5), git-worktree(1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/os/system.h"
#include "store/report/fault.h"
#include "store/repository/environment.h"
#include "store/repository/git_config.h"

namespace assay {

struct OpenOptions {
  std::string directory = ".";            // where the search starts; -C, --repo
  std::optional<std::string> git_dir;     // --git-dir; stronger than GIT_DIR
  std::vector<ConfigOverride> overrides;  // -c
  Environment environment = Environment::of_process();
};

struct RepositoryLayout {
  std::string git_dir;     // of this worktree: HEAD, index, logs/HEAD
  std::string common_dir;  // refs, packed-refs, config; the same as git_dir but for worktrees
  std::string objects_dir;
  std::string index_file;  // GIT_INDEX_FILE or git_dir/index
  std::string work_tree;   // empty for a bare repository
  bool is_linked_worktree = false;
  // What git would print instead of git_dir, common_dir and objects_dir: git steps into the top
  // of the work tree first, so that it says ".git/objects/...".
  std::string shown_git_dir;
  std::string shown_common_dir;
  std::string shown_objects_dir;
  // Set when everything is in place but for a sound HEAD. git takes such a directory for no
  // repository and dies; we report the fault and go on.
  std::optional<Fault> fault;
};

Result<RepositoryLayout> discover_layout(os::System& system, const OpenOptions& options);

// True for what git takes for a git directory: a HEAD that is a ref or an id, objects/, refs/.
bool is_git_directory(os::System& system, const std::string& path, const Environment& environment);

// Returns: the target of a `.git` file, made openable from the current directory.
Result<std::string> read_git_file(os::System& system, const std::string& path);

// Lexical path arithmetic.
// Returns: `path` itself when absolute, else below `base`.
std::string joined_path(std::string_view base, std::string_view path);

}  // namespace assay
