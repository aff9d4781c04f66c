// Quoting of file names in messages for people.
#pragma once

#include <string>
#include <string_view>

namespace assay::tools {

// Returns: the name as a shell would take it: as it is when nothing in it is special to a shell,
// otherwise in quotes, control characters and bytes that are not UTF-8 as $'\n' and the like. As
// the GNU coreutils show names in a UTF-8 locale.
std::string quote_for_shell(std::string_view name);

}  // namespace assay::tools
