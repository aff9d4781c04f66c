#include "store/object/tag.h"

#include <string>

namespace assay {

Result<Tag> parse_tag(ByteView body, const ObjectId& self) {
  const HashKind kind = self.kind();
  const std::size_t hex_size = id_hex_size(kind);
  std::string_view rest = as_text(body);
  const auto silent = [&] {
    return fault(MessageId::kObjectNotParsed, "", body.size() - rest.size());
  };

  // git's smallest tag: "object HEX\ntype tag\ntag \n" and some.
  if (rest.size() < hex_size + 24) return silent();
  const auto target = ObjectId::from_hex(rest.substr(7, hex_size), kind);
  if (!rest.starts_with("object ") || !target || rest[7 + hex_size] != '\n') return silent();
  rest.remove_prefix(7 + hex_size + 1);

  if (!rest.starts_with("type ")) return silent();
  std::string_view word = rest.substr(5);
  std::size_t line_end = word.find('\n');
  if (line_end == std::string_view::npos || line_end >= 20) return silent();  // git: char type[20]
  word = word.substr(0, line_end);
  word = word.substr(0, word.find('\0'));  // a C string to git; the rules report the NUL
  const auto type = parse_type_name(word);
  if (!type) {
    return fault(MessageId::kObjectNotParsed,
                 "unknown tag type '" + std::string(word) + "' in " + self.hex(),
                 body.size() - rest.size());
  }
  rest.remove_prefix(5 + line_end + 1);

  if (rest.size() <= 4 || !rest.starts_with("tag ")) return silent();
  line_end = rest.find('\n');
  if (line_end == std::string_view::npos) return silent();
  return Tag{*target, *type, rest.substr(4, line_end - 4)};
}

}  // namespace assay
