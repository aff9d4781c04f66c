// RepositoryFormat: core.repositoryformatversion and extensions.*, judged as git judges them.
//
// Source of the rules: gitrepository-layout(5), "repository-version", and git 2.55.
// Errors: kConfigBad in git's words; git dies there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/base/object_id.h"
#include "store/report/fault.h"
#include "store/repository/git_config.h"

namespace assay {

enum class RefStorage : std::uint8_t { kFiles, kReftable };

struct RepositoryFormat {
  int version = 0;
  HashKind hash_kind = HashKind::kSha1;
  RefStorage ref_storage = RefStorage::kFiles;
  bool worktree_config = false;
  bool precious_objects = false;
  bool relative_worktrees = false;
  std::string partial_clone;             // remote named by extensions.partialClone
  std::optional<bool> bare;              // core.bare
  std::optional<std::string> work_tree;  // core.worktree
};

// Returns: the storage that "files", "reftable" or "FORMAT://PAYLOAD" names.
std::optional<RefStorage> parse_ref_storage(std::string_view text);

// `local` is the repository's own config file alone (an empty one for a repository without it).
Result<RepositoryFormat> read_repository_format(const GitConfig& local);

}  // namespace assay
