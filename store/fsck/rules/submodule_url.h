// Submodule urls that could attack whoever clones them: git's verdicts.
//
// A line feed that reaches a credential helper, or a url without host that borrows one from the
// superproject, makes git send the password of one server to another (CVE-2020-5260,
// CVE-2020-11008); a url that begins with "-" is taken for an option.
#pragma once

#include <string_view>

namespace assay {

// Returns: false for a url that git's fsck disallows. A url that git does not fetch with curl and
// that is not relative is harmless, whatever it says.
bool submodule_url_is_safe(std::string_view url);

}  // namespace assay
