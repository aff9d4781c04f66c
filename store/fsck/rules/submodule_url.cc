#include "store/fsck/rules/submodule_url.h"

#include <optional>
#include <string>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/object_id.h"

namespace assay {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_separator(char c) { return c == '/' || c == '\\'; }
char front_of(std::string_view text) { return text.empty() ? '\0' : text[0]; }

// The byte that "%XX" at this place stands for, or nothing if no two hexadecimal digits follow.
std::optional<char> escaped_byte(std::string_view text, std::size_t percent) {
  if (text.size() - percent < 3) return std::nullopt;
  const int high = hex_digit_value(text[percent + 1]);
  const int low = hex_digit_value(text[percent + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

// True when the url has a line feed, as it is or escaped behind its first colon (before a colon
// that is not at the start git takes the text for a protocol, in which nothing is decoded).
bool decodes_to_line_feed(std::string_view url) {
  if (url.find('\n') != kNone) return true;
  std::size_t i = url.find(':');
  if (i == kNone) i = 0;
  while (i < url.size()) {
    if (url[i] == '%') {
      const auto byte = escaped_byte(url, i);
      if (byte == '\n') return true;
      i += byte && *byte != '\0' ? 3 : 1;
    } else {
      ++i;
    }
  }
  return false;
}

bool starts_with_dots(std::string_view url, std::string_view dots) {
  return url.starts_with(dots) && url.size() > dots.size() && is_separator(url[dots.size()]);
}

// Behind "../" or "./../", a colon or a slash would become the host of the superproject's url.
bool climbs_into_host(std::string_view url) {
  bool climbs = false;
  for (;;) {
    if (starts_with_dots(url, "..")) {
      climbs = true;
      url.remove_prefix(3);
    } else if (starts_with_dots(url, ".")) {
      url.remove_prefix(2);
    } else {
      return climbs && (front_of(url) == ':' || front_of(url) == '/');
    }
  }
}

// The url that git's helper for curl would be given, if it would be given one.
std::optional<std::string_view> curl_url(std::string_view url) {
  for (const std::string_view scheme : {"http", "https", "ftp", "ftps"}) {
    if (!url.starts_with(scheme)) continue;
    const std::string_view rest = url.substr(scheme.size());
    if (rest.starts_with("::")) return rest.substr(2);
    if (rest.starts_with("://")) return url;
  }
  return std::nullopt;
}

// Escapes resolved; nothing if one is malformed. (A normalized url keeps the escapes of delimiters,
// but none of them is a dot or a line feed, and nothing else matters here.)
std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const auto byte = escaped_byte(text, i);
    if (!byte) return std::nullopt;
    result += *byte;
    i += 2;
  }
  return result;
}

bool has_line_feed(std::string_view text) { return text.find('\n') != kNone; }

// "HOST" or "HOST:PORT", with IPv6 addresses in brackets.
bool is_valid_authority(std::string_view authority, std::string_view scheme) {
  static constexpr std::string_view kHostMarks = ".-_[:]";
  const std::size_t mark = authority.find_last_of(":]");
  const bool has_port = mark != kNone && authority[mark] == ':';
  const std::string_view host = has_port ? authority.substr(0, mark) : authority;
  if (front_of(authority) == '\0' || front_of(authority) == ':') {  // no host
    if (scheme != "file") return false;
    if (has_port && mark + 1 != authority.size()) return false;
  }
  for (const char c : host) {
    if (!is_alpha(c) && !is_digit(c) && kHostMarks.find(c) == kNone) return false;
  }
  if (!has_port) return true;
  std::string_view port = authority.substr(mark + 1);
  if (port.empty()) return true;  // the default one
  while (port.size() > 1 && port[0] == '0') port.remove_prefix(1);
  if (port.size() > 5) return false;
  unsigned number = 0;
  for (const char c : port) {
    if (!is_digit(c)) return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number >= 1 && number <= 65535;
}

// Walks the path as normalizing does: "." and ".." (also when escaped) are resolved, a ".." without
// a segment before it is malformed.
// Returns: false for a malformed path or one in which a line feed remains.
bool is_safe_path(std::string_view path) {
  std::vector<bool> segments;  // of each that remains: whether it has a line feed
  if (path.starts_with('/')) path.remove_prefix(1);
  for (;;) {
    const std::size_t end = path.find('/');
    const auto segment = unescaped(path.substr(0, end));
    if (!segment) return false;
    if (*segment == "..") {
      if (segments.empty()) return false;
      segments.pop_back();
    } else if (*segment != ".") {
      segments.push_back(has_line_feed(*segment));
    }
    if (end == kNone) break;
    path.remove_prefix(end + 1);
  }
  for (const bool bad : segments) {
    if (bad) return false;
  }
  return true;
}

// True when git can normalize the url and no line feed is left in it.
bool is_safe_for_curl(std::string_view url) {
  const std::size_t scheme_end = url.find(':');
  if (scheme_end == kNone || !is_alpha(front_of(url)) ||
      !url.substr(scheme_end).starts_with("://")) {
    return false;
  }
  std::string scheme;
  for (const char c : url.substr(0, scheme_end)) {
    if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '.' && c != '-') return false;
    scheme += lowered(c);
  }
  std::string_view rest = url.substr(scheme_end + 3);

  std::size_t authority_end = rest.find_first_of("/?#");
  const std::size_t at = rest.find('@');
  if (at != kNone && (authority_end == kNone || at < authority_end)) {
    const auto user = unescaped(rest.substr(0, at));
    if (!user || has_line_feed(*user)) return false;
    rest.remove_prefix(at + 1);
    authority_end = rest.find_first_of("/?#");
  }
  if (!is_valid_authority(rest.substr(0, authority_end), scheme)) return false;
  rest = authority_end == kNone ? std::string_view() : rest.substr(authority_end);

  const std::size_t path_end = rest.find_first_of("?#");
  if (!is_safe_path(rest.substr(0, path_end))) return false;
  if (path_end == kNone) return true;
  const auto query = unescaped(rest.substr(path_end));
  return query && !has_line_feed(*query);
}

}  // namespace

bool submodule_url_is_safe(std::string_view url) {
  if (url.starts_with('-')) return false;
  if (starts_with_dots(url, ".") || starts_with_dots(url, "..") || url.starts_with("git://")) {
    return !decodes_to_line_feed(url) && !climbs_into_host(url);
  }
  const auto for_curl = curl_url(url);
  return !for_curl || is_safe_for_curl(*for_curl);
}

}  // namespace assay
