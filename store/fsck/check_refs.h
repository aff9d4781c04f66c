// check_refs: do the refs name objects that are there, and of the right kind?
//
// Order of findings: refs by name, then HEAD of every worktree (phase 20).
#pragma once

#include <string>
#include <vector>

#include "store/fsck/object_view.h"
#include "store/report/policy.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

// One ref as it was when the run began.
struct RefSnapshot {
  std::vector<Ref> refs;   // under refs/, by name, broken ones included
  std::vector<Ref> heads;  // HEAD of every worktree that has a usable one or a broken one
  std::vector<Fault> problems;
};

// Taken before objects are looked at, so that a push meanwhile does no harm.
Result<RefSnapshot> snapshot_refs(const Repository& repository);

// Findings: "REF: invalid sha1 pointer OID" (kInvalidRefPointer), "REF: not a commit"
// (kRefNotACommit), kRefUnreadable. Every usable ref becomes a root.
// Returns: the number of usable refs; 0 means "no default references" (see below).
std::size_t check_refs(const RefSnapshot& snapshot, const ObjectView& objects, const Policy& policy,
                       RootSink& roots, FindingSink& findings);

// Explicit arguments of fsck: roots instead of refs. `resolved` pairs the argument with its id.
std::size_t check_given_roots(const std::vector<std::pair<std::string, ObjectId>>& resolved,
                              const ObjectView& objects, const Policy& policy, RootSink& roots,
                              FindingSink& findings);

// "notice: No default references": reported when no ref is usable; --unreachable makes no sense
// then and is to be switched off by the caller.
void report_no_default_references(const Policy& policy, FindingSink& findings);

}  // namespace assay
