// `assay commit-graph verify`: git commit-graph verify. Writing is left to git.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_commit_graph(Context& context, Arguments arguments);

}  // namespace assay::tools
