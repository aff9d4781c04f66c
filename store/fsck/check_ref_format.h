// check_ref_format: the checks of `git refs verify` for the files backend: names, file types and
// contents of loose refs and root refs of every worktree, and the grammar and order of packed-refs.
//
// Nothing is asked of the object database: whether targets exist is what check_refs asks.
// Findings carry git's ids and words, in git's order within a file; refs are taken by name
// (phase 10, before the refs are looked up).
#pragma once

#include "store/report/note.h"
#include "store/report/policy.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

// `note` receives the lines of --verbose.
void check_ref_format(const Repository& repository, const Policy& policy, FindingSink& findings,
                      const Note& note = nullptr);

}  // namespace assay
