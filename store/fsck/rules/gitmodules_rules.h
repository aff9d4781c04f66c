// Rules for the content of blobs that some tree calls .gitmodules: names, urls, paths and update
// commands by which a submodule could attack its reader.
#pragma once

#include "store/fsck/rules/special_blobs.h"

namespace assay {

// Requires: reporter.begin() was called for this blob.
void check_gitmodules_blob(ByteView body, RuleReporter& reporter);

// That, and what else can be said of such a blob: gitmodulesLarge, gitmodulesMissing,
// gitmodulesBlob.
extern const SpecialBlobRules kGitmodulesRules;

// Returns: false for a name that is empty or has a component "..", with '/' or '\' between
// components: git makes a directory of that name.
bool submodule_name_is_safe(std::string_view name);

}  // namespace assay
