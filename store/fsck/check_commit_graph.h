// check_commit_graph: the commit-graphs of all object directories against their commits.
//
// All that git commit-graph verify checks, of every layer, in its words: checksum, order of ids,
// fanout, parents that exist; then for every commit its tree, parents, date and generation. Beyond
// git, which stops before the second half when the first has faults: everything is always looked
// at, also dates and levels where git has no use for them.
#pragma once

#include "store/fsck/commit_graphs.h"
#include "store/fsck/link_ledger.h"
#include "store/fsck/storage.h"
#include "store/report/policy.h"
#include "store/report/sink.h"

namespace assay {

struct CommitGraphCheckOptions {
  const CommitParents* parents = nullptr;  // as in verification
  std::uint64_t memory = 0;                // commits larger than that are not read again
  bool only_uppermost = false;             // leave the lower layers of a chain alone
};

// Requires: graphs.number() was called with the table of the storage, and every commit that was
// verified was observed.
void check_commit_graphs(const CommitGraphs& graphs, const Storage& storage,
                         const LinkLedger& ledger, const CommitGraphCheckOptions& options,
                         const Policy& policy, FindingSink& findings);

}  // namespace assay
