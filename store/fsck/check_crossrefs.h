// check_crossrefs: the files that git derives from packs and commits, against what they were
// derived from: reverse indexes, bitmaps, mtimes, commit-graphs, multi-pack-indexes.
//
// Runs after all storage was verified: what these files say is compared with the good objects.
#pragma once

#include "store/fsck/check_storage.h"
#include "store/fsck/commit_graphs.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

// Returns: the commit-graphs that git would look at, none when core.commitGraph is false.
// To be called before objects are listed.
CommitGraphs load_commit_graphs(const Repository& repository,
                                const std::vector<ObjectSource>& directories);
// Returns: that of one directory, whatever core.commitGraph says; its layers may lie in others.
CommitGraphs load_commit_graphs(const Repository& repository,
                                const std::vector<ObjectSource>& directories, std::size_t which);

// `graphs` took part in the verification (VerifyOptions::commit_graphs).
void check_crossrefs(const Repository& repository, const Storage& storage, const LinkLedger& ledger,
                     const CommitGraphs& graphs, const StorageCheckOptions& options,
                     FindingSink& findings);

}  // namespace assay
