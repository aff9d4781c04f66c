// Finds the words for findings: git's lines, each on git's stream.
#pragma once

#include <span>

#include "store/report/finding.h"
#include "tools/common/output.h"

namespace assay::tools {

// Writes all findings in order: results to `out`, everything else to `err`. Control bytes that come
// from a repository are shown as "?".
void render_findings(std::span<const Finding> findings, Output& out, Output& err);

}  // namespace assay::tools
