#include "store/refs/reflog.h"

#include <optional>
#include <string_view>

#include "store/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxKeptBadLines = 100;

// As git parses: leading blanks and a sign are let pass, too large a number becomes the largest.
std::uint64_t parse_timestamp(std::string_view& rest) {
  static constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::string_view text = rest;
  while (!text.empty() && kBlanks.find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !is_digit(text.front())) return 0;
  std::uint64_t value = 0;
  bool overflow = false;
  while (!text.empty() && is_digit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (value > (UINT64_MAX - digit) / 10) overflow = true;
    value = value * 10 + digit;
    text.remove_prefix(1);
  }
  rest = text;
  if (overflow) return UINT64_MAX;
  return negative ? 0 - value : value;
}

std::optional<ReflogEntry> parse_line(std::string_view line, HashKind kind) {
  const std::size_t hex_size = id_hex_size(kind);
  line = line.substr(0, line.find('\0'));
  if (line.size() < 2 * (hex_size + 1)) return std::nullopt;
  const auto old_id = ObjectId::from_hex(line.substr(0, hex_size), kind);
  const auto new_id = ObjectId::from_hex(line.substr(hex_size + 1, hex_size), kind);
  if (!old_id || !new_id || line[hex_size] != ' ' || line[2 * hex_size + 1] != ' ') {
    return std::nullopt;
  }
  line.remove_prefix(2 * (hex_size + 1));
  const auto email_end = line.find('>');
  if (email_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(email_end + 1);
  if (!rest.starts_with(' ')) return std::nullopt;
  rest.remove_prefix(1);
  ReflogEntry entry;
  entry.old_id = *old_id;
  entry.new_id = *new_id;
  entry.timestamp = parse_timestamp(rest);
  if (entry.timestamp == 0 || rest.size() < 6 || rest[0] != ' ') return std::nullopt;
  if (rest[1] != '+' && rest[1] != '-') return std::nullopt;
  for (const char digit : rest.substr(2, 4)) {
    if (!is_digit(digit)) return std::nullopt;
  }
  return entry;
}

}  // namespace

Reflog parse_reflog(ByteView bytes, HashKind kind) {
  Reflog reflog;
  std::string_view rest = as_text(bytes);
  std::uint32_t line_number = 0;
  while (!rest.empty()) {
    ++line_number;
    const auto end = rest.find('\n');
    std::optional<ReflogEntry> entry;
    // A line without its LF was cut off while it was written; git passes over it.
    if (end != std::string_view::npos) entry = parse_line(rest.substr(0, end), kind);
    if (entry) {
      entry->line = line_number;
      reflog.entries.push_back(*entry);
    } else {
      ++reflog.bad_line_count;
      if (reflog.bad_lines.size() < kMaxKeptBadLines) reflog.bad_lines.push_back(line_number);
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return reflog;
}

}  // namespace assay
