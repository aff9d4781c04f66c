// Opening the repository that the global options mean, and saying why it cannot be.
#pragma once

#include <memory>

#include "store/repository.h"
#include "tools/common/command.h"

namespace assay::tools {

OpenOptions open_options(const Context& context);

// Prints the causes of the fault as errors and the fault as the fatal line. Returns: kExitFatal.
int die_of(Context& context, const Fault& fault);

// Returns: the store; null when there is none, everything having been said. Alternates and packs
// that cannot be used are named.
std::unique_ptr<ObjectStore> open_store(Context& context);

}  // namespace assay::tools
