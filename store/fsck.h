// The door to fsck: opens a repository, verifies it, and returns everything that was found.
#pragma once

#include "store/fsck/fsck_run.h"
#include "store/os/system.h"

namespace assay {

// Runs to the end whatever is found. Errors: the repository cannot be opened at all (git dies).
Result<FsckReport> run_fsck(os::System& system, const FsckOptions& options);

}  // namespace assay
