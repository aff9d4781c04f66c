// Rules for names in trees that not every system can keep, for --portable-names. git has none of
// them; they say what a checkout on Windows or macOS would refuse or overwrite.
#pragma once

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

// At most one finding of each kind:
//   kNameNotPortable  a device name of Windows (with any extension), an ending dot or blank, a
//   control
//                     byte or one of < > : " | ? * and backslash
//   kNamesCollide     two names that differ in case or in how an accented letter is composed.
//   Folded
//                     are ASCII, Latin-1, Latin Extended-A, Greek and Cyrillic letters; of accents
//                     those of Latin-1.
// Requires: reporter.begin() was called for this tree.
void check_portable_names(ByteView body, HashKind kind, RuleReporter& reporter);

// Returns: what a name becomes where neither case nor composition count. For tests.
std::string folded_name(std::string_view name);

}  // namespace assay
