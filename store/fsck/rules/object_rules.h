// The rules for one object, whatever its type. See RuleReporter for what happens to the messages.
#pragma once

#include "store/fsck/rules/rule_reporter.h"
#include "store/fsck/rules/special_blobs.h"

namespace assay {

// Requires: reporter.begin() was called for this object. Blobs have no rules of their own: see
// gitmodules_rules.h and gitattributes_rules.h for those that a tree names.
void check_object_rules(ObjectType type, ByteView body, HashKind kind, RuleReporter& reporter,
                        SpecialBlobs& special);

}  // namespace assay
