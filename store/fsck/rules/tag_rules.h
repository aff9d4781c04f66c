// Rules for tags: header, object, type, tag and tagger lines, extra headers.
#pragma once

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

void check_tag_rules(ByteView body, HashKind kind, RuleReporter& reporter);

}  // namespace assay
