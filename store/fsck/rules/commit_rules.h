// Rules for commits: header, tree, parents, author and committer lines, NUL bytes.
#pragma once

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

void check_commit_rules(ByteView body, HashKind kind, RuleReporter& reporter);

}  // namespace assay
