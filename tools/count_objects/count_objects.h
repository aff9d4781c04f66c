// `assay count-objects`: how many objects there are and what they take on disk.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_count_objects(Context& context, Arguments arguments);

}  // namespace assay::tools
