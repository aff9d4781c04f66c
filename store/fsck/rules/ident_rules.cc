#include "store/fsck/rules/ident_rules.h"

#include <limits>

#include "store/base/ascii.h"

namespace assay {
namespace {

// What is wrong with an identity, if anything.
struct IdentProblem {
  MessageId id;
  const char* text;
};

// The byte at the start of the text; 0 at its end, which is never one that a rule allows.
char front_of(std::string_view text) { return text.empty() ? '\0' : text[0]; }

// Moves `rest` behind the digits. Returns: false when the seconds do not fit a signed 64-bit time.
bool skip_seconds(std::string_view& rest) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t seconds = 0;
  while (is_digit(front_of(rest))) {
    const auto digit = static_cast<std::uint64_t>(rest[0] - '0');
    if (seconds > (kMax - digit) / 10) return false;
    seconds = seconds * 10 + digit;
    rest.remove_prefix(1);
  }
  return true;
}

bool is_zone(std::string_view text) {
  return text.size() == 5 && (text[0] == '+' || text[0] == '-') && is_digit(text[1]) &&
         is_digit(text[2]) && is_digit(text[3]) && is_digit(text[4]);
}

// `line` is "NAME <EMAIL> SECONDS +ZONE" without its line feed. git reads from left to right and
// names the first thing that is wrong.
const IdentProblem* find_problem(std::string_view line) {
  static constexpr IdentProblem kMissingName = {
      MessageId::kMissingNameBeforeEmail,
      "invalid author/committer line - missing space before email"};
  static constexpr IdentProblem kNoEmail = {MessageId::kMissingEmail,
                                            "invalid author/committer line - missing email"};
  static constexpr IdentProblem kBadName = {MessageId::kBadName,
                                            "invalid author/committer line - bad name"};
  static constexpr IdentProblem kNoSpaceBeforeEmail = {
      MessageId::kMissingSpaceBeforeEmail,
      "invalid author/committer line - missing space before email"};
  static constexpr IdentProblem kBadEmail = {MessageId::kBadEmail,
                                             "invalid author/committer line - bad email"};
  static constexpr IdentProblem kNoSpaceBeforeDate = {
      MessageId::kMissingSpaceBeforeDate,
      "invalid author/committer line - missing space before date"};
  static constexpr IdentProblem kBadDate = {MessageId::kBadDate,
                                            "invalid author/committer line - bad date"};
  static constexpr IdentProblem kZeroPadded = {MessageId::kZeroPaddedDate,
                                               "invalid author/committer line - zero-padded date"};
  static constexpr IdentProblem kOverflow = {
      MessageId::kBadDateOverflow, "invalid author/committer line - date causes integer overflow"};
  static constexpr IdentProblem kBadZone = {MessageId::kBadTimezone,
                                            "invalid author/committer line - bad time zone"};

  const std::size_t email = line.find_first_of("<>");
  if (email == 0 && line[0] == '<') return &kMissingName;
  if (email == std::string_view::npos) return &kNoEmail;
  if (line[email] == '>') return &kBadName;
  if (line[email - 1] != ' ') return &kNoSpaceBeforeEmail;

  const std::size_t email_end = line.find_first_of("<>", email + 1);
  if (email_end == std::string_view::npos || line[email_end] == '<') return &kBadEmail;

  std::string_view rest = line.substr(email_end + 1);
  if (front_of(rest) != ' ') return &kNoSpaceBeforeDate;
  while (front_of(rest) == ' ' || front_of(rest) == '\t') rest.remove_prefix(1);
  if (!is_digit(front_of(rest))) return &kBadDate;
  if (rest[0] == '0' && front_of(rest.substr(1)) != ' ') return &kZeroPadded;
  if (!skip_seconds(rest)) return &kOverflow;
  if (front_of(rest) != ' ') return &kBadDate;
  return is_zone(rest.substr(1)) ? nullptr : &kBadZone;
}

}  // namespace

bool check_header(std::string_view body, RuleReporter& reporter) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\0') {
      return reporter.report(MessageId::kNulInHeader,
                             "unterminated header: NUL at offset " + std::to_string(i));
    }
    if (body[i] == '\n' && i + 1 < body.size() && body[i + 1] == '\n') return false;
  }
  if (body.ends_with('\n')) return false;
  return reporter.report(MessageId::kUnterminatedHeader, "unterminated header");
}

bool check_ident(std::string_view& rest, RuleReporter& reporter) {
  const std::size_t line_end = rest.find('\n');
  const std::string_view line = rest.substr(0, line_end);
  // Without a line feed the header was bad already, and whoever asked for silence gets it.
  rest.remove_prefix(line_end == std::string_view::npos ? rest.size() : line_end + 1);
  const IdentProblem* const problem = find_problem(line);
  return problem != nullptr && reporter.report(problem->id, problem->text);
}

}  // namespace assay
