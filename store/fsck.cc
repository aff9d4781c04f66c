#include "store/fsck.h"

#include "store/fsck/checker.h"

namespace assay {

Result<FsckReport> run_fsck(os::System& system, const FsckOptions& options) {
  return Checker(system, options).run();
}

}  // namespace assay
