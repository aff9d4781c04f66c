// `assay init`: an empty repository.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_init(Context& context, Arguments arguments);

}  // namespace assay::tools
