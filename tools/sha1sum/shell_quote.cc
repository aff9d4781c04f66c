#include "tools/sha1sum/shell_quote.h"

#include <fmt/format.h>

#include <algorithm>

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

// Whether quotes of both kinds hold such a character of a name as it is.
bool is_the_same_in_both(std::string_view character, bool is_first) {
  const char c = character[0];
  if (character.size() > 1) return true;
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  if (c == '#' || c == '~') return is_first;
  return std::string_view("%+,-./:@]_ '").find(c) != std::string_view::npos;
}

// Calls visit(character, whether it is printable); a byte that belongs to none is one by itself.
template <typename Visit>
void for_each_character(std::string_view name, const Visit& visit) {
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const std::string_view character = name.substr(0, std::max<std::size_t>(1, length));
    visit(character, length != 0 && is_printable(character));
    name.remove_prefix(character.size());
  }
}

}  // namespace

std::string quote_for_shell(std::string_view name) {
  constexpr std::string_view kSpecial = " !\"$&'()*:;<=>?[\\^`|";
  bool all_printable = true;
  bool all_the_same = true;
  for_each_character(name, [&](std::string_view character, bool printable) {
    all_printable = all_printable && printable;
    const bool is_first = character.data() == name.data();
    all_the_same = all_the_same && is_the_same_in_both(character, is_first);
  });
  const bool special = name.empty() || name.find_first_of(kSpecial) != std::string_view::npos ||
                       name[0] == '~' || name[0] == '#' || name == "{" || name == "}";
  if (all_printable && !special) return std::string(name);
  if (all_printable && all_the_same && name.find('\'') != std::string_view::npos) {
    return fmt::format("\"{}\"", name);
  }
  std::string quoted = "'";
  bool escaping = false;  // within $'...'
  for_each_character(name, [&](std::string_view character, bool printable) {
    if (!printable) {
      if (!escaping) quoted += "'$'";
      escaping = true;
      for (const char c : character) quoted += escape_byte(c);
    } else if (character == "'") {
      quoted += "'\\''";
      escaping = false;
    } else {
      if (escaping) quoted += "''";
      escaping = false;
      quoted += character;
    }
  });
  return quoted + "'";
}

}  // namespace assay::tools
