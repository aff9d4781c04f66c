// check_refs: do the refs name objects that are there, and of the right kind?
//
// Order of findings: refs by name, then HEAD of every worktree, then the private refs of the other
// worktrees, which git does not look at.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/fsck/object_view.h"
#include "store/report/policy.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

// The refs as they were when the run began.
struct RefSnapshot {
  std::vector<Ref> refs;   // under refs/, by name, broken ones included
  std::vector<Ref> heads;  // HEAD of every worktree that has one
  // Refs of other worktrees alone (refs/bisect/ and the like), as "worktrees/ID/refs/bisect/bad".
  std::vector<Ref> private_refs;
  // Of the store as a whole: packed-refs, directories that cannot be listed. The caller reports
  // them.
  std::vector<Fault> problems;
  PackedRefs packed;           // for check_peeled
  std::string shown_packed{};  // the file, as messages show it
};

// Taken before objects are looked at, so that a push meanwhile does no harm.
RefSnapshot snapshot_refs(const Repository& repository);

// Findings: "REF: invalid sha1 pointer OID" (kInvalidRefPointer), "REF: not a commit"
// (kRefNotACommit), what a broken ref holds instead (kRefBroken, a warning), a HEAD that cannot be
// read (kRefUnreadable). Every usable ref becomes a root.
// Returns: the number of usable refs; when it is 0 the caller says so by
// report_no_default_references and switches --unreachable off, which makes no sense then.
std::size_t check_refs(const RefSnapshot& snapshot, const ObjectView& objects, const Policy& policy,
                       RootSink& roots, FindingSink& findings);

// Explicit arguments of fsck are roots instead of refs. `arguments` pairs each with its id.
std::size_t check_given_roots(const std::vector<std::pair<std::string, ObjectId>>& arguments,
                              const ObjectView& objects, const Policy& policy, RootSink& roots,
                              FindingSink& findings);

// "notice: No default references".
void report_no_default_references(const Policy& policy, FindingSink& findings);

}  // namespace assay
