// What a person should know at the end of a run with findings: where they come from, which are too
// many to be read, and what to do.
#pragma once

#include <span>
#include <string>

#include "store/report/finding.h"

namespace assay::tools {

// Returns: lines "hint: ...", each ended by a line feed; empty when nothing is worse than a note.
// First the messages that occur more than 20 times, with their numbers; then the files from which
// more than one finding of damage comes; last one line of advice.
std::string advice(std::span<const Finding> findings);

}  // namespace assay::tools
