#include "store/report/policy.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "store/base/ascii.h"

namespace assay {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return without_trailing_blanks(text);
}

Severity default_severity(const Message& row, bool strict) {
  return strict && row.since == Since::kGit && row.severity == Severity::kWarn ? Severity::kError
                                                                               : row.severity;
}

std::optional<Severity> parse_severity(std::string_view word) {
  if (word == "error") return Severity::kError;
  if (word == "warn") return Severity::kWarn;
  if (word == "ignore") return Severity::kIgnore;
  return std::nullopt;
}

// A size as git config spells it: what C's strtoimax() reads with base 0, and a unit k, m or g.
// Negative sizes are numbers too; for a limit they mean the same as 0, and so does 0 become.
std::optional<std::size_t> parse_limit(std::string_view text) {
  while (!text.empty() && (is_blank(text[0]) || text[0] == '\v' || text[0] == '\f')) {
    text.remove_prefix(1);
  }
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::uint64_t base = 10;
  if (text.size() >= 3 && text[0] == '0' && lowered(text[1]) == 'x' &&
      hex_digit_value(text[2]) >= 0) {
    base = 16;
    text.remove_prefix(2);
  } else if (!text.empty() && text[0] == '0') {
    base = 8;
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    const int digit = hex_digit_value(text[digits]);
    if (digit < 0 || static_cast<std::uint64_t>(digit) >= base) break;
    if (value > (kMax - static_cast<std::uint64_t>(digit)) / base) return std::nullopt;
    value = value * base + static_cast<std::uint64_t>(digit);
  }
  if (digits == 0) return std::nullopt;
  const std::string unit = lowered(text.substr(digits));
  std::uint64_t factor = 1;
  if (unit == "k") {
    factor = std::uint64_t{1} << 10;
  } else if (unit == "m") {
    factor = std::uint64_t{1} << 20;
  } else if (unit == "g") {
    factor = std::uint64_t{1} << 30;
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  if (value > kMax / factor) return std::nullopt;
  if (negative) return 0;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(value * factor, std::numeric_limits<std::size_t>::max()));
}

}  // namespace

Policy::Policy() { set_strict(false); }

void Policy::set_strict(bool strict) {
  strict_ = strict;
  for (const Message& row : all_messages()) {
    const auto index = static_cast<std::size_t>(row.id);
    if (!configured_[index]) severities_[index] = default_severity(row, strict);
  }
}

Result<void> Policy::configure(std::string_view name, std::string_view value) {
  // git folds the names of config variables before it looks at them, and quotes them folded.
  const std::string folded = lowered(name);
  const auto id = folded.find('_') == std::string::npos ? find_message(folded) : std::nullopt;
  if (!id) return fault(MessageId::kConfigBad, "Unhandled message id: " + folded);

  std::optional<std::size_t> limit;
  const std::size_t colon = value.find(':');
  if (*id == MessageId::kLargePathname && colon != std::string_view::npos) {
    const std::string_view number = value.substr(colon + 1);
    limit = parse_limit(number);
    if (!limit) {
      return fault(MessageId::kConfigBad,
                   "unable to parse max tree entry len: " + std::string(number));
    }
    value = value.substr(0, colon);
  }
  const auto severity = parse_severity(value);
  if (!severity) {
    return fault(MessageId::kConfigBad, "Unknown fsck message type: '" + std::string(value) + "'");
  }
  if (message(*id).severity == Severity::kFatal && *severity != Severity::kError) {
    return fault(MessageId::kConfigBad, "Cannot demote " + folded + " to " + std::string(value));
  }

  const auto index = static_cast<std::size_t>(*id);
  severities_[index] = *severity;
  configured_[index] = true;
  if (limit) max_pathname_size_ = *limit;
  return {};
}

Result<void> Policy::add_skip_list(std::string_view text, HashKind kind) {
  std::unordered_set<ObjectId, ObjectIdHash> ids;
  while (!text.empty()) {
    const std::size_t line_end = text.find('\n');
    std::string_view line = text.substr(0, line_end);
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto id = ObjectId::from_hex(line, kind);
    if (!id) return fault(MessageId::kConfigBad, "invalid object name: " + std::string(line));
    ids.insert(*id);
  }
  skip_list_.merge(ids);
  return {};
}

Finding finding_of(Fault fault, const Policy& policy) {
  Finding finding;
  finding.id = fault.id;
  finding.severity = policy.severity(fault.id);
  finding.bit = message(fault.id).bit;
  finding.offset = fault.offset;
  finding.text = std::move(fault.text);
  finding.causes = std::move(fault.causes);
  return finding;
}

}  // namespace assay
