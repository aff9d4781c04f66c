#include "tools/bench/json_value.h"

#include <fmt/format.h>

#include <charconv>

#include "store/base/object_id.h"

namespace assay::tools {
namespace {

constexpr int kDeepest = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<JsonValue> parse_all() {
    JsonValue value;
    if (!parse_value(value, 0)) return std::nullopt;
    skip_space();
    if (at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool parse_value(JsonValue& value, int depth) {
    if (depth > kDeepest) return false;
    skip_space();
    if (at_ == text_.size()) return false;
    switch (text_[at_]) {
      case '{':
        return parse_object(value, depth);
      case '[':
        return parse_array(value, depth);
      case '"':
        value.kind = JsonValue::Kind::kString;
        return parse_string(value.string);
      case 't':
      case 'f':
        value.kind = JsonValue::Kind::kBoolean;
        value.boolean = text_[at_] == 't';
        return take_word(value.boolean ? "true" : "false");
      case 'n':
        return take_word("null");
      default:
        return parse_number(value);
    }
  }

  bool parse_number(JsonValue& value) {
    value.kind = JsonValue::Kind::kNumber;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    // from_chars takes more than JSON allows ("inf", "nan"), but nothing that is longer.
    if (*begin != '-' && (*begin < '0' || *begin > '9')) return false;
    if (*begin == '-' && (begin + 1 == end || begin[1] < '0' || begin[1] > '9')) return false;
    const auto [stop, error] = std::from_chars(begin, end, value.number);
    if (error != std::errc()) return false;
    at_ += static_cast<std::size_t>(stop - begin);
    return true;
  }

  bool parse_array(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::kArray;
    ++at_;
    if (take(']')) return true;
    do {
      if (!parse_value(value.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool parse_object(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::kObject;
    ++at_;
    if (take('}')) return true;
    do {
      skip_space();
      if (!parse_string(value.names.emplace_back()) || !take(':')) return false;
      if (!parse_value(value.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool parse_string(std::string& string) {
    if (at_ == text_.size() || text_[at_] != '"') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        string += c;
      } else if (!parse_escape(string)) {
        return false;
      }
    }
    return false;
  }

  // At a backslash. Leaves at_ on the last character of the escape.
  bool parse_escape(std::string& string) {
    if (++at_ == text_.size()) return false;
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter = kLetters.find(text_[at_]);
    if (letter != std::string_view::npos) {
      string += kMeanings[letter];
      return true;
    }
    if (text_[at_] != 'u' || text_.size() - at_ < 5) return false;
    unsigned code = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = hex_digit_value(text_[++at_]);
      if (digit < 0) return false;
      code = code << 4 | static_cast<unsigned>(digit);
    }
    // Names of benchmarks are ASCII: two halves of a surrogate pair stay two characters.
    if (code < 0x80) {
      string += static_cast<char>(code);
    } else if (code < 0x800) {
      string += static_cast<char>(0xc0 | code >> 6);
      string += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      string += static_cast<char>(0xe0 | code >> 12);
      string += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      string += static_cast<char>(0x80 | (code & 0x3f));
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &items[i];
  }
  return nullptr;
}

double JsonValue::number_or(std::string_view name, double otherwise) const {
  const JsonValue* value = find(name);
  return value != nullptr && value->kind == Kind::kNumber ? value->number : otherwise;
}

std::string JsonValue::string_or(std::string_view name, std::string_view otherwise) const {
  const JsonValue* value = find(name);
  return value != nullptr && value->kind == Kind::kString ? value->string : std::string(otherwise);
}

std::optional<JsonValue> parse_json(std::string_view text) { return Parser(text).parse_all(); }

}  // namespace assay::tools
