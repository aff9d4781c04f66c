// JsonValue: a JSON text (RFC 8259) read into a tree. For reports of benchmarks, which are small.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tools {

struct JsonValue {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<JsonValue> items;    // of an array or object, in order
  std::vector<std::string> names;  // of the items of an object

  // Returns: the member of an object, or null.
  const JsonValue* find(std::string_view name) const;
  // Returns: the member if it is of that kind, else `otherwise`.
  double number_or(std::string_view name, double otherwise) const;
  std::string string_or(std::string_view name, std::string_view otherwise) const;
};

// Returns: the value, or nothing when the text is not one JSON value. Nesting deeper than 64 is
// refused.
std::optional<JsonValue> parse_json(std::string_view text);

}  // namespace assay::tools
