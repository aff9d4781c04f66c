// check_disputes: objects that links name as something they are not.
//
// git keeps one type for each id, the first it hears of: from a link, or from the object itself.
// Whoever says otherwise later is wrong, a parent ("broken links", or a commit or tag that cannot
// be parsed) or the object itself ("object X is a tree, not a blob", which makes it missing). We
// replay that in the canonical order of copies, so the verdict does not depend on time or threads.
// What refs name is read first of all, by git 2.55 as by us, with --no-full even in packs.
#pragma once

#include "store/fsck/check_storage.h"

namespace assay {

// A link of a tree that names its target as what it is not: it leads nowhere.
struct FalseLink {
  std::uint32_t parent = 0;
  std::uint32_t target = 0;
  ObjectType type = ObjectType::kUnknown;  // as the link says
};

// Requires: all links entered. Objects that git would not have parsed are no longer present in the
// ledger afterwards, and the links are counted again without theirs.
// `tips`: the objects that refs name, in the order of the refs.
// Returns: links that are not in the ledger any more; by parent and target.
std::vector<FalseLink> check_disputes(const Storage& storage, LinkLedger& ledger,
                                      const std::vector<ObjectId>& tips,
                                      const StorageCheckOptions& options, FindingSink& findings);

// What git cannot parse, because a link names its target as what it is not, is no root and tags
// nothing: takes the results about such objects out of the findings. `disputes`: what
// check_disputes found.
void drop_results_of_unparsed(const std::vector<Finding>& disputes, std::vector<Finding>& findings);

}  // namespace assay
