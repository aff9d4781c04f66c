#include "tools/sha1sum/checksum_line.h"

#include "store/base/object_id.h"

namespace assay::tools {
namespace {

constexpr std::size_t kHexDigits = 2 * std::tuple_size_v<sha1::Digest>;
constexpr std::string_view kTag = "SHA1";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

std::optional<sha1::Digest> parse_digest(std::string_view hex) {
  const auto id = ObjectId::from_hex(hex, HashKind::kSha1);
  if (!id) return std::nullopt;
  sha1::Digest digest;
  std::copy(id->data(), id->data() + digest.size(), digest.begin());
  return digest;
}

// To coreutils a text ends at a NUL, whatever follows it in the line.
std::string_view before_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

std::optional<std::string> unescape_name(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') return std::nullopt;
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == '\\') {
      name += '\\';
    } else if (text[i] == 'n') {
      name += '\n';
    } else if (text[i] == 'r') {
      name += '\r';
    } else {
      return std::nullopt;
    }
  }
  return name;
}

std::optional<std::string> read_name(std::string_view text, bool escaped) {
  if (escaped) return unescape_name(text);
  return std::string(before_nul(text));
}

// "name) = digits", behind the opening parenthesis.
std::optional<ChecksumLine> parse_tagged(std::string_view rest, bool escaped) {
  const std::size_t close = rest.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  const auto name = read_name(rest.substr(0, close), escaped);
  rest.remove_prefix(close + 1);
  skip_blanks(rest);
  if (!name || rest.empty() || rest.front() != '=') return std::nullopt;
  rest.remove_prefix(1);
  skip_blanks(rest);
  const auto digest = parse_digest(before_nul(rest));
  if (!digest) return std::nullopt;
  return ChecksumLine{*name, *digest};
}

}  // namespace

std::optional<ChecksumLine> ChecksumParser::parse(std::string_view line) {
  skip_blanks(line);
  const bool escaped = line.starts_with('\\');
  if (escaped) line.remove_prefix(1);
  if (line.starts_with(kTag)) {
    std::string_view rest = line.substr(kTag.size());
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.starts_with('(')) return parse_tagged(rest.substr(1), escaped);
  }
  // The digits, a blank, and a type or a name of one character; one more in a line with escapes, as
  // coreutils counts.
  if (line.size() < kHexDigits + (escaped ? 3 : 2) || !is_blank(line[kHexDigits]))
    return std::nullopt;
  const auto digest = parse_digest(line.substr(0, kHexDigits));
  if (!digest) return std::nullopt;
  std::string_view rest = line.substr(kHexDigits + 1);
  if (rest.size() == 1 || (rest.front() != ' ' && rest.front() != '*')) {
    if (mode_ == Mode::kStandard) return std::nullopt;
    mode_ = Mode::kReversed;
  } else if (mode_ != Mode::kReversed) {
    mode_ = Mode::kStandard;
    rest.remove_prefix(1);
  }
  auto name = read_name(rest, escaped);
  if (!name) return std::nullopt;
  return ChecksumLine{std::move(*name), *digest};
}

std::string format_checksum(std::string_view name, const sha1::Digest& digest, LineStyle style,
                            bool zero) {
  std::string shown(name);
  std::string line;
  if (!zero) {
    std::string escaped;
    if (escape_name(name, escaped)) {
      line.push_back('\\');
      shown = std::move(escaped);
    }
  }
  const std::string hex = to_hex(digest);
  if (style == LineStyle::kTagged) {
    line += std::string(kTag) + " (" + shown + ") = " + hex;
  } else {
    line += hex + (style == LineStyle::kBinary ? " *" : "  ") + shown;
  }
  line += zero ? '\0' : '\n';
  return line;
}

bool escape_name(std::string_view name, std::string& escaped) {
  escaped.clear();
  for (const char c : name) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\r') {
      escaped += "\\r";
    } else {
      escaped += c;
    }
  }
  return escaped.size() != name.size();
}

}  // namespace assay::tools
