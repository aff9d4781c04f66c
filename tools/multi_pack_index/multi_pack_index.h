// `assay multi-pack-index verify`: git multi-pack-index verify. Writing is left to git.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_multi_pack_index(Context& context, Arguments arguments);

}  // namespace assay::tools
