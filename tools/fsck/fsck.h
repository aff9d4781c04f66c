// `assay fsck`: git fsck's options, lines, streams and exit bits.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_fsck_command(Context& context, Arguments arguments);

}  // namespace assay::tools
