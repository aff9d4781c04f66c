// The door that makes an empty repository, or completes an existing one, as git-init(1) does
// without templates.
#pragma once

#include <string>

#include "store/base/object_id.h"
#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

struct InitOptions {
  std::string git_dir;  // to be made, with the directories above it
  bool bare = false;
  HashKind hash_kind = HashKind::kSha1;  // of a new repository; an existing one must have it
  bool hash_kind_given = false;
  std::string initial_branch = "master";
};

struct InitResult {
  bool existed = false;  // it was a repository before
};

// Existing files are left alone. Errors: kIoError; kConfigBad when an existing repository has
// another hash. What was made before an error is left; a second try completes it.
Result<InitResult> init_repository(os::System& system, const InitOptions& options);

}  // namespace assay
