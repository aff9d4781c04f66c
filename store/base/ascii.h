// Classes of characters, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// What git's isspace() holds for blank.
constexpr std::string_view kBlanks = " \t\n\r";

constexpr bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lowered(c);
  return result;
}

constexpr std::string_view without_trailing_blanks(std::string_view text) {
  const auto last = text.find_last_not_of(kBlanks);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace assay
