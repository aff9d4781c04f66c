// The figures of a run of fsck, in words.
#pragma once

#include <string>

#include "store/fsck.h"

namespace assay::tools {

// Returns: "SHA-1 33.1 % of CPU time (kernel avx512_x16, detecting, 849014 objects, ...)".
std::string statistics_line(const FsckStatistics& statistics);
// Returns: the stages as a table, lines ended by line feeds.
std::string stage_table(const FsckStatistics& statistics);

}  // namespace assay::tools
