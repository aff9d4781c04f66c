#include "tools/common/quote.h"

namespace assay::tools {

std::string quote_c_style(std::string_view text) {
  static constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
  static constexpr std::string_view kLetters = "abtnvfr\"\\";
  std::string quoted = "\"";
  bool needed = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t i = kEscaped.find(c); i != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[i];
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += '\\';
      quoted += static_cast<char>('0' + (byte >> 6));
      quoted += static_cast<char>('0' + (byte >> 3 & 7));
      quoted += static_cast<char>('0' + (byte & 7));
    } else {
      quoted += c;
      continue;
    }
    needed = true;
  }
  if (!needed) return std::string(text);
  return quoted + '"';
}

}  // namespace assay::tools
