#include "tools/common/json_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/common/base64.h"

namespace assay::tools {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // bytes; 0: no character begins here
};

// Requires: text is not empty.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t size = 0;
  std::uint32_t least = 0;
  if (first >= 0xc2 && first <= 0xdf) {
    size = 2;
    least = 0x80;
  } else if ((first & 0xf0u) == 0xe0) {
    size = 3;
    least = 0x800;
  } else if (first >= 0xf0 && first <= 0xf4) {
    size = 4;
    least = 0x10000;
  } else {
    return {};
  }
  if (text.size() < size) return {};
  std::uint32_t value = first & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least || value > 0x10ffff || surrogate) return {};
  return {value, size};
}

// Characters that act instead of being seen.
bool must_escape(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7f && value <= 0x9f) ||  // C0, DEL, C1
         value == 0x200e || value == 0x200f || value == 0x61c ||
         (value >= 0x2028 && value <= 0x202e) ||  // ends of lines, embeddings, overrides
         (value >= 0x2066 && value <= 0x2069) || value == 0xfeff;
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (point.size == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += text[0];
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (must_escape(point.value)) {
      out += fmt::format("\\u{:04x}", point.value);
    } else {
      out += text.substr(0, point.size);
    }
    text.remove_prefix(point.size);
  }
  out += '"';
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = decode(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string json_string(std::string_view text) {
  std::string quoted;
  append_string(quoted, text);
  return quoted;
}

void JsonObject::begin(std::string_view name, std::string_view suffix) {
  fields_ += fields_.empty() ? "{\"" : ",\"";
  fields_ += name;
  fields_ += suffix;
  fields_ += "\":";
}

JsonObject& JsonObject::text(std::string_view name, std::string_view value) {
  begin(name);
  append_string(fields_, value);
  if (!is_utf8(value)) {
    begin(name, "_base64");
    append_string(fields_, base64(value));
  }
  return *this;
}

JsonObject& JsonObject::texts(std::string_view name, std::span<const std::string> values) {
  const auto append = [&](auto&& convert) {
    fields_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) fields_ += ',';
      append_string(fields_, convert(values[i]));
    }
    fields_ += ']';
  };
  begin(name);
  append([](const std::string& value) -> std::string_view { return value; });
  if (!std::all_of(values.begin(), values.end(), is_utf8)) {
    begin(name, "_base64");
    append([](const std::string& value) { return base64(value); });
  }
  return *this;
}

JsonObject& JsonObject::number(std::string_view name, std::uint64_t value) {
  begin(name);
  fields_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::real(std::string_view name, double value, int digits) {
  begin(name);
  fields_ += fmt::format("{:.{}f}", value, digits);
  return *this;
}

JsonObject& JsonObject::boolean(std::string_view name, bool value) {
  begin(name);
  fields_ += value ? "true" : "false";
  return *this;
}

JsonObject& JsonObject::object(std::string_view name, const JsonObject& value) {
  begin(name);
  fields_ += value.str();
  return *this;
}

JsonObject& JsonObject::objects(std::string_view name, std::span<const JsonObject> values) {
  begin(name);
  fields_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) fields_ += ',';
    fields_ += values[i].str();
  }
  fields_ += ']';
  return *this;
}

}  // namespace assay::tools
