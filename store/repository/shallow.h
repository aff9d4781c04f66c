// The shallow file: commits whose parents are to be taken as none (gitrepository-layout(5)).
//
// One object id a line. Errors: kConfigBad "bad shallow line: LINE", where git dies.
#pragma once

#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

Result<std::vector<ObjectId>> parse_shallow(ByteView bytes, HashKind kind);

}  // namespace assay
