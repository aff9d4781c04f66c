// Reading what --format=jsonl prints, by another parser than ours.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace assay::testing {

// Returns: the lines as records. A line that is no JSON or holds a control byte fails the test.
inline std::vector<nlohmann::json> json_lines(std::string_view text) {
  std::vector<nlohmann::json> records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      ADD_FAILURE() << "the last line is not ended";
      break;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    for (const char c : line) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ADD_FAILURE() << "control byte";
    }
    records.push_back(nlohmann::json::parse(line, nullptr, false));
    if (!records.back().is_object()) ADD_FAILURE() << "no object: " << line;
  }
  return records;
}

inline std::string decode_base64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  unsigned value = 0;
  for (const char c : text) {
    if (c == '=') break;
    value = value << 6 | static_cast<unsigned>(kDigits.find(c));
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(value >> bits & 255);
    }
  }
  return bytes;
}

// Returns: the bytes of a text field, as docs/jsonl.md says to take them.
inline std::string json_bytes(const nlohmann::json& record, const std::string& name) {
  const std::string encoded = name + "_base64";
  if (record.contains(encoded)) return decode_base64(record[encoded].get<std::string>());
  return record.value(name, std::string());
}

}  // namespace assay::testing
