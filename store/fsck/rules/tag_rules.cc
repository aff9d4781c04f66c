#include "store/fsck/rules/tag_rules.h"

#include "store/base/object_type.h"
#include "store/fsck/rules/header_line.h"
#include "store/fsck/rules/ident_rules.h"
#include "store/refs/ref_name.h"

namespace assay {
namespace {

// Moves `rest` behind the line and its line feed. Returns: false when there is no line feed.
bool take_line(std::string_view& rest, std::string_view& line) {
  const std::size_t line_end = rest.find('\n');
  if (line_end == std::string_view::npos) return false;
  line = rest.substr(0, line_end);
  rest.remove_prefix(line_end + 1);
  return true;
}

// Steps over one signature header and its continuation lines, if there is one.
// Returns: true when the rest of the check must not run.
bool skip_signature(std::string_view& rest, RuleReporter& reporter) {
  std::string_view line;
  if (!skip_word(rest, "gpgsig ") && !skip_word(rest, "gpgsig-sha256 ")) return false;
  if (!take_line(rest, line)) {
    reporter.report(MessageId::kBadGpgsig,
                    "invalid format - unexpected end after 'gpgsig' or 'gpgsig-sha256' line");
    return true;
  }
  while (rest.starts_with(' ')) {
    if (!take_line(rest, line)) {
      reporter.report(MessageId::kBadHeaderContinuation,
                      "invalid format - unexpected end in 'gpgsig' or 'gpgsig-sha256' "
                      "continuation line");
      return true;
    }
  }
  return false;
}

}  // namespace

void check_tag_rules(ByteView body, HashKind kind, RuleReporter& reporter) {
  std::string_view rest = as_text(body);
  std::string_view line;
  if (check_header(rest, reporter)) return;

  if (!skip_word(rest, "object ")) {
    reporter.report(MessageId::kMissingObject, "invalid format - expected 'object' line");
    return;
  }
  if (!skip_id_line(rest, kind) &&
      reporter.report(MessageId::kBadObjectSha1, "invalid 'object' line format - bad sha1")) {
    return;
  }

  if (!skip_word(rest, "type ")) {
    reporter.report(MessageId::kMissingTypeEntry, "invalid format - expected 'type' line");
    return;
  }
  if (!take_line(rest, line)) {
    reporter.report(MessageId::kMissingType, "invalid format - unexpected end after 'type' line");
    return;
  }
  if (!parse_type_name(line) && reporter.report(MessageId::kBadType, "invalid 'type' value")) {
    return;
  }

  if (!skip_word(rest, "tag ")) {
    reporter.report(MessageId::kMissingTagEntry, "invalid format - expected 'tag' line");
    return;
  }
  if (!take_line(rest, line)) {
    // git says 'type' here too.
    reporter.report(MessageId::kMissingTag, "invalid format - unexpected end after 'type' line");
    return;
  }
  const std::string name(line);
  if (!is_valid_ref_name("refs/tags/" + name) &&
      reporter.report(MessageId::kBadTagName, "invalid 'tag' name: " + name)) {
    return;
  }

  if (!skip_word(rest, "tagger ")) {
    if (reporter.report(MessageId::kMissingTaggerEntry,
                        "invalid format - expected 'tagger' line")) {
      return;
    }
  } else {
    // A bad tagger does not end the check in git, so that both it and an extra header are reported.
    check_ident(rest, reporter);
  }
  if (skip_signature(rest, reporter)) return;
  if (!rest.empty() && !rest.starts_with('\n')) {
    reporter.report(MessageId::kExtraHeaderEntry,
                    "invalid format - extra header(s) after 'tagger'");
  }
}

}  // namespace assay
