#include "tools/common/base64.h"

#include <algorithm>
#include <cstdint>

namespace assay::tools {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t size = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < size ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= size ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t group = 0;
    std::size_t size = 3;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = text[at + i];
      const bool padding = c == '=' && i >= 2 && at + 4 == text.size();
      const std::size_t digit = padding ? 0 : kDigits.find(c);
      if (digit == std::string_view::npos || (size < 3 && !padding)) return std::nullopt;
      if (padding) --size;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i < size; ++i) {
      bytes += static_cast<char>(group >> (16 - 8 * i) & 255);
    }
  }
  return bytes;
}

}  // namespace assay::tools
