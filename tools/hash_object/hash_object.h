// `assay hash-object`: the id of files, and storing them.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_hash_object(Context& context, Arguments arguments);

}  // namespace assay::tools
