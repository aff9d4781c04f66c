// Rules for names in trees that not every system can keep, for --portable-names. git has none of
// them; they say what a checkout on Windows or macOS would refuse or overwrite.
#pragma once

#include <string_view>

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

// At most one finding of each kind:
//   kNameNotPortable  a device name of Windows (with any extension), an ending dot or blank, a
//                     control byte or one of < > : " | ? * and backslash
//   kNamesCollide     two names that differ only in case or in how a letter is composed
// Requires: reporter.begin() was called for this tree.
void check_portable_names(ByteView body, HashKind kind, RuleReporter& reporter);

// Returns: what a name becomes where neither case nor composition count: decomposed, each code
// point its capital (Unicode's data as utf8proc has them, one code point for one, as file systems
// do). Names that are no UTF-8 are kept as they are, apart from all others. For tests.
std::u32string folded_name(std::string_view name);

}  // namespace assay
