// Rules for the content of blobs that some tree calls .gitmodules: names, urls, paths and update
// commands by which a submodule could attack its reader.
#pragma once

#include "store/fsck/rules/rule_reporter.h"

namespace assay {

// Requires: reporter.begin() was called for this blob.
void check_gitmodules_blob(ByteView body, RuleReporter& reporter);

// For a blob too large to be held in memory: gitmodulesLarge.
void report_large_gitmodules(RuleReporter& reporter);

// For a blob that is nowhere and that no promisor remote has promised: gitmodulesMissing.
void report_missing_gitmodules(RuleReporter& reporter);

// For an object of that name which is no blob: gitmodulesBlob.
void report_non_blob_gitmodules(RuleReporter& reporter);

// Returns: false for a name that is empty or has a component "..", with '/' or '\' between
// components: git makes a directory of that name.
bool submodule_name_is_safe(std::string_view name);

}  // namespace assay
