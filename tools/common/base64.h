// base64 with padding (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::tools {

std::string base64(std::string_view bytes);

// Returns: the bytes, or nothing when the text is no padded base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace assay::tools
