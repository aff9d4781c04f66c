// check_index_files: is what the index files name still there?
//
// The index of every worktree: entries are roots as blobs (gitlinks are skipped), trees of the
// cache-tree and blobs of resolve-undo must exist. A file at which git would die is
// one finding (kIndexFileBad, exit 128) and the run goes on with the next worktree.
#pragma once

#include "store/fsck/object_view.h"
#include "store/fsck/read_object.h"
#include "store/report/note.h"
#include "store/report/policy.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

// Findings: kIndexFileBad, "OID: invalid sha1 pointer in cache-tree of PATH",
// "error in TYPE OID: non-tree in cache-tree", "OID: invalid sha1 pointer in resolve-undo of PATH".
// `read` tells trees whose modes an index keeps otherwise from false ones; without it every tree
// counts as spelled as an index spells it. `note` receives the lines of --verbose.
void check_index_files(const Repository& repository, const ObjectView& objects,
                       const Policy& policy, RootSink& roots, FindingSink& findings,
                       const ReadObject& read = nullptr, const Note& note = nullptr);

}  // namespace assay
