// ObjectSource: where an object directory lies, and its path as messages show it.
#pragma once

#include <string>

namespace assay {

struct ObjectSource {
  std::string path;
  std::string shown_path;
};

}  // namespace assay
