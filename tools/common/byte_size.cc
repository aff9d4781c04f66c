#include "tools/common/byte_size.h"

#include <charconv>

namespace assay::tools {

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    const char unit = static_cast<char>(text.back() | 0x20);
    shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
    if (shift != 0) text.remove_suffix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value > UINT64_MAX >> shift) return std::nullopt;
  return value << shift;
}

}  // namespace assay::tools
