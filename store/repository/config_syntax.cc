#include "store/repository/config_syntax.h"

#include <fmt/format.h>

#include <cerrno>
#include <cinttypes>
#include <limits>
#include <string>

namespace assay {
namespace {

// git's own classes of characters: ASCII only, whatever the locale.
bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_alpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(int c) { return c >= '0' && c <= '9'; }
bool is_key_char(int c) { return is_alpha(c) || is_digit(c) || c == '-'; }
char lowered(int c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lowered(a[i]) != lowered(b[i])) return false;
  }
  return true;
}

// Characters with the line number that git would have counted: CR LF is one line end, and the end
// of the file counts as a line end of its own, which can be read any number of times.
class CharSource {
 public:
  explicit CharSource(std::string_view text) : text_(text) {}

  int next() {
    if (position_ >= text_.size()) {
      at_end_ = true;
      ++line_;
      return '\n';
    }
    if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') {
      ++position_;
    }
    const int c = static_cast<unsigned char>(text_[position_++]);
    if (c == '\n') ++line_;
    return c;
  }

  bool at_end() const { return at_end_; }
  std::uint32_t line() const { return line_; }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  bool at_end_ = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : source_(text) {}

  // Returns: false after a syntax error; error_line() says where.
  bool parse();
  std::uint32_t error_line() const { return source_.line() - unread_lines_; }
  std::vector<ConfigVariable>& variables() { return variables_; }

 private:
  bool section(std::string& stem);
  bool subsection(std::string& stem, int c);
  bool variable(std::string key);
  std::optional<std::string> value();

  CharSource source_;
  std::vector<ConfigVariable> variables_;
  // 1 when the error was noticed at the line end, so that the line before is to blame.
  std::uint32_t unread_lines_ = 0;
};

bool Parser::parse() {
  std::string stem;
  bool comment = false;
  for (;;) {
    const int c = source_.next();
    if (c == '\n') {
      if (source_.at_end()) return true;
      comment = false;
      continue;
    }
    if (comment || is_space(c)) continue;
    if (c == '#' || c == ';') {
      comment = true;
    } else if (c == '[') {
      stem.clear();
      if (!section(stem) || stem.empty()) return false;
      stem += '.';
    } else if (!is_alpha(c) || !variable(stem + lowered(c))) {
      return false;
    }
  }
}

bool Parser::section(std::string& stem) {
  for (;;) {
    const int c = source_.next();
    if (source_.at_end()) return false;
    if (c == ']') return true;
    if (is_space(c)) return subsection(stem, c);
    if (!is_key_char(c) && c != '.') return false;
    stem += lowered(c);
  }
}

bool Parser::subsection(std::string& stem, int c) {
  while (is_space(c)) {
    if (c == '\n') {
      unread_lines_ = 1;
      return false;
    }
    c = source_.next();
  }
  if (c != '"') return false;
  stem += '.';
  for (;;) {
    c = source_.next();
    if (c == '"') break;
    if (c == '\\') c = source_.next();
    if (c == '\n') {
      unread_lines_ = 1;
      return false;
    }
    stem += static_cast<char>(c);
  }
  return source_.next() == ']';
}

bool Parser::variable(std::string key) {
  int c;
  for (;;) {
    c = source_.next();
    if (source_.at_end() || !is_key_char(c)) break;
    key += lowered(c);
  }
  while (c == ' ' || c == '\t') c = source_.next();
  std::optional<std::string> text;
  if (c != '\n') {
    if (c != '=') return false;
    text = value();
    if (!text) return false;
    // git hands values around as C strings.
    text->resize(std::min(text->size(), text->find('\0')));
  }
  variables_.push_back({std::move(key), std::move(text), source_.line() - 1});
  return true;
}

std::optional<std::string> Parser::value() {
  std::string text;
  std::size_t trimmed = 0;  // size without the blanks at the end; valid when blanks_pending
  bool blanks_pending = false;
  bool quoted = false;
  bool comment = false;
  for (;;) {
    int c = source_.next();
    if (c == '\n') {
      if (quoted) {
        unread_lines_ = 1;
        return std::nullopt;
      }
      if (blanks_pending) text.resize(trimmed);
      return text;
    }
    if (comment) continue;
    if (is_space(c) && !quoted) {
      if (text.empty()) continue;  // leading blanks
      if (!blanks_pending) trimmed = text.size();
      blanks_pending = true;
      text += static_cast<char>(c);
      continue;
    }
    if (!quoted && (c == ';' || c == '#')) {
      comment = true;
      continue;
    }
    blanks_pending = false;
    if (c == '"') {
      quoted = !quoted;
      continue;
    }
    if (c == '\\') {
      c = source_.next();
      if (c == '\n') continue;  // the value goes on in the next line
      if (c == 't') {
        c = '\t';
      } else if (c == 'b') {
        c = '\b';
      } else if (c == 'n') {
        c = '\n';
      } else if (c != '\\' && c != '"') {
        return std::nullopt;
      }
    }
    text += static_cast<char>(c);
  }
}

}  // namespace

ConfigPrefix parse_config_prefix(std::string_view text) {
  static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  } else if (text.starts_with('\xef')) {
    return {{}, 1};
  }
  Parser parser(text);
  const bool whole = parser.parse();
  return {std::move(parser.variables()),
          whole ? std::nullopt : std::optional<std::uint32_t>(parser.error_line())};
}

Result<std::vector<ConfigVariable>> parse_config_text(std::string_view text,
                                                      std::string_view file) {
  ConfigPrefix prefix = parse_config_prefix(text);
  if (prefix.error_line) {
    return fault(MessageId::kConfigBad,
                 fmt::format("bad config line {} in file {}", *prefix.error_line, file));
  }
  return std::move(prefix.variables);
}

std::optional<std::string> canonical_config_key(std::string_view key) {
  const auto last_dot = key.rfind('.');
  if (last_dot == std::string_view::npos || last_dot == 0) return std::nullopt;
  const auto first_dot = key.find('.');
  const std::string_view name = key.substr(last_dot + 1);
  if (name.empty() || !is_alpha(name.front())) return std::nullopt;
  std::string result;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char c = key[i];
    if (i < first_dot || i > last_dot) {
      if (!is_key_char(c)) return std::nullopt;
      result += lowered(c);
    } else {
      if (c == '\n') return std::nullopt;
      result += c;
    }
  }
  return result;
}

tl::expected<std::int64_t, ConfigNumberError> parse_config_int(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const std::intmax_t number = std::strtoimax(copy.c_str(), &end, 0);
  if (errno == ERANGE) return tl::unexpected(ConfigNumberError::kOutOfRange);
  if (end == copy.c_str()) return tl::unexpected(ConfigNumberError::kInvalidUnit);
  const std::string_view unit(end, static_cast<std::size_t>(copy.c_str() + copy.size() - end));
  std::int64_t factor = 1;
  if (equals_ignoring_case(unit, "k")) {
    factor = std::int64_t{1} << 10;
  } else if (equals_ignoring_case(unit, "m")) {
    factor = std::int64_t{1} << 20;
  } else if (equals_ignoring_case(unit, "g")) {
    factor = std::int64_t{1} << 30;
  } else if (!unit.empty()) {
    return tl::unexpected(ConfigNumberError::kInvalidUnit);
  }
  using Limits = std::numeric_limits<std::int64_t>;
  if (number > Limits::max() / factor || number < Limits::min() / factor) {
    return tl::unexpected(ConfigNumberError::kOutOfRange);
  }
  return number * factor;
}

std::optional<bool> parse_config_bool(const std::optional<std::string>& value) {
  if (!value) return true;
  if (value->empty()) return false;
  for (const std::string_view word : {"true", "yes", "on"}) {
    if (equals_ignoring_case(*value, word)) return true;
  }
  for (const std::string_view word : {"false", "no", "off"}) {
    if (equals_ignoring_case(*value, word)) return false;
  }
  const auto number = parse_config_int(*value);
  if (!number || *number > std::numeric_limits<std::int32_t>::max() ||
      *number < std::numeric_limits<std::int32_t>::min()) {
    return std::nullopt;
  }
  return *number != 0;
}

}  // namespace assay
