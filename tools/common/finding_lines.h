// Finds the words for findings: git's lines, each on git's stream.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "store/report/finding.h"
#include "tools/common/output.h"

namespace assay::tools {

// True for what is said of a commit-graph or a multi-pack-index.
bool is_about_graph_file(MessageId id);

// Returns: the text with control bytes other than tab and line feed shown as '?'.
std::string printable(std::string_view text);

// Writes all findings in order: results to `out`, everything else to `err`. What is wrong with a
// commit-graph or a multi-pack-index follows a line "in FILE:". Control bytes that come from a
// repository are shown as "?".
void render_findings(std::span<const Finding> findings, Output& out, Output& err);

}  // namespace assay::tools
