// `assay verify-pack`: git verify-pack's options, output and exit status.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_verify_pack_command(Context& context, Arguments arguments);

}  // namespace assay::tools
