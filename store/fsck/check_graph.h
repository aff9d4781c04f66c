// check_graph: what is missing, what nothing points to, what cannot be reached.
//
// A link to an object that has no file is a broken link if its parent is reachable; git blames the
// parent that its walk meets first (GraphReplay). Dangling is a present object without links that
// is no root; unreachable is what only such objects hold.
// Findings are in the words of git fsck, in the order of object ids.
#pragma once

#include <functional>

#include "store/fsck/check_disputes.h"
#include "store/fsck/check_storage.h"
#include "store/fsck/root_table.h"
#include "store/report/note.h"

namespace assay {

struct GraphOptions {
  bool show_dangling = true;
  bool show_unreachable = false;
  // Whether some file that is not in the object table tells git where the object lies.
  std::function<bool(const ObjectId&)> is_listed_elsewhere;
  Note note;  // receives the lines of --verbose
};

// What a promisor remote has promised: what its packs hold, and what they link to.
struct Promises {
  bool any = false;    // there are such packs
  ObjectIdSet absent;  // promised, and not here
};

// Returns: ids that a promisor remote has promised: what its packs link to but do not hold.
// Requires: all links entered.
Promises find_promises(const Storage& storage, const LinkLedger& ledger);

// `false_links`: as check_disputes() gave them.
// Returns: the dangling objects, as numbers of the object table, in order. None when unreachable
// ones are shown instead.
std::vector<std::uint32_t> check_graph(const Storage& storage, LinkLedger& ledger,
                                       const RootTable& roots, const Promises& promises,
                                       const std::vector<FalseLink>& false_links,
                                       const GraphOptions& graph,
                                       const StorageCheckOptions& options, FindingSink& findings);

}  // namespace assay
