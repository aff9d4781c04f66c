// check_graph: what is missing, what nothing points to, what cannot be reached.
//
// A link to an object that has no file is a broken link if its parent is reachable. Dangling is a
// present object without links that is no root; unreachable is what only such objects hold.
// Findings are in the words of git fsck, in the order of object ids.
#pragma once

#include "store/fsck/check_disputes.h"
#include "store/fsck/check_storage.h"
#include "store/fsck/root_table.h"

namespace assay {

struct GraphOptions {
  bool show_dangling = true;
  bool show_unreachable = false;
};

// Returns: ids that a promisor remote has promised: what its packs link to but do not hold.
// Requires: all links entered.
ObjectIdSet promised_objects(const Storage& storage, const LinkLedger& ledger);

// `false_links`: as check_disputes() gave them.
void check_graph(const Storage& storage, LinkLedger& ledger, const RootTable& roots,
                 const ObjectIdSet& promised, const std::vector<FalseLink>& false_links,
                 const GraphOptions& graph, const StorageCheckOptions& options,
                 FindingSink& findings);

}  // namespace assay
