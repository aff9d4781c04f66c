#include "tools/sha1sum/shell_quote.h"

#include <fmt/format.h>

namespace assay::tools {
namespace {

// Bytes of the UTF-8 character at the beginning of the text; 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xc2 ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (length == 3 && byte(0) == 0xe0 && byte(1) < 0xa0) return 0;  // longer than needed
  if (length == 3 && byte(0) == 0xed && byte(1) > 0x9f) return 0;  // a surrogate
  if (length == 4 && byte(0) == 0xf0 && byte(1) < 0x90) return 0;
  if (length == 4 && byte(0) == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

bool is_printable(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first >= 0x20 && first != 0x7f;
  return !(first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);  // U+0080 to U+009F
}

std::string escape_byte(char c) {
  constexpr std::string_view kLetters = "abtnvfr";  // from 7 on
  const auto value = static_cast<unsigned char>(c);
  if (value >= 7 && value <= 13) return fmt::format("\\{}", kLetters[value - 7]);
  return fmt::format("\\{:03o}", value);
}

}  // namespace

std::string quote_for_shell(std::string_view name) {
  constexpr std::string_view kSpecial = " !\"$&'()*;<=>?[\\]^`|";
  constexpr std::string_view kSpecialInDouble = "\"$`\\!";
  bool all_printable = true;
  std::size_t length = 0;
  for (std::size_t i = 0; i < name.size(); i += std::max<std::size_t>(1, length)) {
    length = utf8_length(name.substr(i));
    if (length == 0 || !is_printable(name.substr(i, length))) all_printable = false;
  }
  const bool special = name.empty() || name.find_first_of(kSpecial) != std::string_view::npos ||
                       name[0] == '~' || name[0] == '#';
  if (all_printable && !special) return std::string(name);
  if (all_printable && name.find('\'') != std::string_view::npos &&
      name.find_first_of(kSpecialInDouble) == std::string_view::npos) {
    return fmt::format("\"{}\"", name);
  }
  std::string quoted = "'";
  bool escaping = false;  // within $'...'
  for (std::size_t i = 0; i < name.size(); i += std::max<std::size_t>(1, length)) {
    length = utf8_length(name.substr(i));
    if (length == 0 || !is_printable(name.substr(i, length))) {
      if (!escaping) quoted += "'$'";
      escaping = true;
      for (std::size_t k = 0; k < std::max<std::size_t>(1, length); ++k) {
        quoted += escape_byte(name[i + k]);
      }
      continue;
    }
    if (escaping) quoted += "''";
    escaping = false;
    if (name[i] == '\'') {
      quoted += "'\\''";
    } else {
      quoted += name.substr(i, length);
    }
  }
  return quoted + "'";
}

}  // namespace assay::tools
