// Rules for the header of commits and tags as a whole, and for identity lines (author, committer,
// tagger): "NAME <EMAIL> SECONDS +ZONE\n".
#pragma once

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

// The header ends with a blank line or, when there is no body, with a line feed; no NUL in it.
// Returns: true when the rest of the check must not run.
bool check_header(std::string_view body, RuleReporter& reporter);

// Judges the identity at the start of `rest` (behind the key word) and moves `rest` behind its
// line. At most one message. Returns: true when the rest of the check must not run.
bool check_ident(std::string_view& rest, RuleReporter& reporter);

}  // namespace assay
