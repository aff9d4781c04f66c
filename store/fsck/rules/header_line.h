// Steps through the header lines of commits and tags: key words and ids.
#pragma once

#include "store/base/object_id.h"

namespace assay {

// Moves `rest` behind the word when it begins with it. Returns: whether it did.
inline bool skip_word(std::string_view& rest, std::string_view word) {
  if (!rest.starts_with(word)) return false;
  rest.remove_prefix(word.size());
  return true;
}

// Moves `rest` behind "HEX\n".
// Returns: false when there is no id or no line feed right behind it. `rest` is then where git
// would go on if the fault were ignored: one byte behind the id if that is good (git steps over the
// byte that should be a line feed), else, where git reads from an unset pointer, at the next line.
inline bool skip_id_line(std::string_view& rest, HashKind kind) {
  const std::size_t hex_size = id_hex_size(kind);
  if (rest.size() < hex_size || !ObjectId::from_hex(rest.substr(0, hex_size), kind)) {
    const std::size_t line_end = rest.find('\n');
    rest.remove_prefix(line_end == std::string_view::npos ? rest.size() : line_end + 1);
    return false;
  }
  const bool good = rest.size() > hex_size && rest[hex_size] == '\n';
  rest.remove_prefix(rest.size() > hex_size ? hex_size + 1 : hex_size);
  return good;
}

}  // namespace assay
