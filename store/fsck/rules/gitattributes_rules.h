// Rules for the content of blobs that some tree calls .gitattributes: sizes that git's own reader
// refuses.
#pragma once

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

constexpr std::size_t kMaxGitattributesSize = 100 * 1024 * 1024;  // bytes
constexpr std::size_t kMaxGitattributesLine = 2048;               // a line must be shorter

// Requires: reporter.begin() was called for this blob.
void check_gitattributes_blob(ByteView body, RuleReporter& reporter);

// For a blob too large to be held in memory: gitattributesLarge.
void report_large_gitattributes(RuleReporter& reporter);

// For a blob that is nowhere and that no promisor remote has promised: gitattributesMissing.
void report_missing_gitattributes(RuleReporter& reporter);

// For an object of that name which is no blob: gitattributesBlob.
void report_non_blob_gitattributes(RuleReporter& reporter);

}  // namespace assay
