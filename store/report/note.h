// Note: who receives the lines of --verbose, one at a time, without their LF.
#pragma once

#include <functional>
#include <string>

namespace assay {

using Note = std::function<void(const std::string&)>;

}  // namespace assay
