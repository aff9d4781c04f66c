// Rules for the content of blobs that some tree calls .gitattributes: sizes that git's own reader
// refuses.
#pragma once

#include "store/fsck/rules/special_blobs.h"

namespace assay {

constexpr std::size_t kMaxGitattributesSize = 100 * 1024 * 1024;  // bytes
constexpr std::size_t kMaxGitattributesLine = 2048;               // a line must be shorter

// Requires: reporter.begin() was called for this blob.
void check_gitattributes_blob(ByteView body, RuleReporter& reporter);

// That, and what else can be said of such a blob: gitattributesLarge, gitattributesMissing,
// gitattributesBlob.
extern const SpecialBlobRules kGitattributesRules;

}  // namespace assay
