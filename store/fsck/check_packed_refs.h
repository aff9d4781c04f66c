// check_packed_refs: the grammar and order of the file packed-refs, as `git refs verify` judges it.
//
// Stricter than reading (store/refs/packed_refs.h): every line is judged, and none of them ends the
// check.
#pragma once

#include <string>

#include "store/base/object_id.h"
#include "store/fsck/fault_reporter.h"
#include "store/os/system.h"
#include "store/report/policy.h"

namespace assay {

// `shown` is what messages call the file. A missing file is fine.
void check_packed_refs(os::System& system, const std::string& path, const std::string& shown,
                       HashKind kind, const Policy& policy, FaultReporter& reporter);

}  // namespace assay
