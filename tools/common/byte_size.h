// Numbers of bytes as options have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::tools {

// Returns: a number of bytes with an optional unit k, m, g (powers of 1024), or nothing.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace assay::tools
