// `assay cat-file`: types, sizes and contents of objects.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_cat_file(Context& context, Arguments arguments);

}  // namespace assay::tools
