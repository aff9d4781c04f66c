// check_reflogs: are the past values of refs still there?
//
// Every entry of every reflog of every worktree is a root, its old id and its new one. Null ids
// are skipped, as are entries that are younger than the start of the run.
#pragma once

#include <cstdint>

#include "store/fsck/object_view.h"
#include "store/report/note.h"
#include "store/report/policy.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

struct ReflogCheckOptions {
  std::uint64_t now = ~std::uint64_t{0};  // seconds since 1970; younger entries are left alone
  Note note;                              // receives the lines of --verbose
};

// Findings: "REF: invalid reflog entry OID" (kInvalidReflogEntry), a log that cannot be read
// (kReflogUnreadable), lines that are no entries (kReflogLineBad, a warning: git skips them).
// The name of a root is "REF@{seconds}" for a new id and empty for an old one, as git names them.
// A log that all worktrees share is checked once. Logs are read in windows of a few MiB; what a
// line of more than 16 MiB holds behind its first 8 MiB may be passed over.
void check_reflogs(const Repository& repository, const ReflogCheckOptions& options,
                   const ObjectView& objects, const Policy& policy, RootSink& roots,
                   FindingSink& findings);

}  // namespace assay
