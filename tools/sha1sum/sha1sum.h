// `assay sha1sum`: the interface of sha1sum of the GNU coreutils, with many files at once and with
// detection of collision attacks.
#pragma once

#include "tools/common/command.h"

namespace assay::tools {

int run_sha1sum(Context& context, Arguments arguments);

}  // namespace assay::tools
