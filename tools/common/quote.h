// Quoting of paths in output that is read line by line.
#pragma once

#include <string>
#include <string_view>

namespace assay::tools {

// Returns: the text as it is, or between double quotes with C escapes when it holds a control
// character, a quote, a backslash or a byte above 127, as git prints paths (core.quotePath).
std::string quote_c_style(std::string_view text);

}  // namespace assay::tools
