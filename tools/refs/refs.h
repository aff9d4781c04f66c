// `assay refs verify`: git refs verify. All else that git refs can do is left to git.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_refs(Context& context, Arguments arguments);

}  // namespace assay::tools
