// `cat-file --batch` and `--batch-check`: many objects, named on standard input or all there are.
#pragma once

#include <string>

#include "store/object_names.h"
#include "tools/common/command.h"

namespace assay::tools {

struct BatchSettings {
  bool contents = false;  // --batch; otherwise --batch-check
  std::string format;
  bool all_objects = false;
  bool unordered = false;
  // Output is held back while input lines wait. Without it, each answer is sent at once.
  bool buffer = false;
};

// Returns: the exit status.
int run_cat_batch(Context& context, const ObjectStore& store, const BatchSettings& settings);

}  // namespace assay::tools
