// `assay --version [-v]`.
#pragma once

#include <string>

#include "tools/common/command.h"

namespace assay::tools {

// Returns: "assay 0.1.0".
std::string program_version();

// One line; verbose adds the compiler and the SHA-1 kernels: compiled in, usable here, chosen.
void print_version(Context& context, bool verbose);

}  // namespace assay::tools
