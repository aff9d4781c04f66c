// Finds the words for findings and figures: git's lines, each on git's stream.
#pragma once

#include <string>

#include "store/fsck.h"
#include "tools/common/output.h"

namespace assay::tools {

// Writes all findings in order: results to `out`, everything else to `err`.
void render_findings(const FsckReport& report, Output& out, Output& err);

// Returns: "SHA-1 33.1 % of CPU time (kernel avx512_x16, detecting, 849014 objects, ...)".
std::string statistics_line(const FsckStatistics& statistics);
// Returns: the stages as a table, lines ended by line feeds.
std::string stage_table(const FsckStatistics& statistics);

}  // namespace assay::tools
