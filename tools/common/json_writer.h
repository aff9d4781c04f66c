// JsonObject: one JSON object (RFC 8259) on one line, from text that may hold any bytes.
//
// A repository names things in bytes, JSON knows only Unicode. Text that is valid UTF-8 comes out
// as it is; what could act on a terminal or break a line (control characters, the Unicode line
// ends, marks that turn the direction of writing) as \uXXXX, which every JSON parser takes back.
// In any other text each byte that belongs to no character is shown as U+FFFD, and the field
// NAME_base64 beside it holds all bytes of the text. So: where NAME_base64 is, it counts.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay::tools {

class JsonObject {
 public:
  // Names of fields are our own: plain ASCII, each used once.
  JsonObject& text(std::string_view name, std::string_view value);
  // An array of texts. If any is not UTF-8, NAME_base64 is an array with all of them.
  JsonObject& texts(std::string_view name, std::span<const std::string> values);
  JsonObject& number(std::string_view name, std::uint64_t value);
  // Fixed point with that many digits behind the point.
  JsonObject& real(std::string_view name, double value, int digits);
  JsonObject& boolean(std::string_view name, bool value);
  JsonObject& object(std::string_view name, const JsonObject& value);
  JsonObject& objects(std::string_view name, std::span<const JsonObject> values);

  // Returns: the object as text, without an end of line.
  std::string str() const { return fields_.empty() ? "{}" : fields_ + "}"; }

 private:
  void begin(std::string_view name, std::string_view suffix = "");

  std::string fields_;  // "{" and the fields so far
};

// Returns: true for well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong).
bool is_utf8(std::string_view text);

// Returns: the text as a JSON string in quotation marks, as fields show it.
std::string json_string(std::string_view text);

}  // namespace assay::tools
