// check_crossrefs: the files that git derives from packs and commits, against what they were
// derived from: reverse indexes, bitmaps, mtimes, commit-graphs, multi-pack-indexes.
//
// Runs after all storage was verified: what these files say is compared with the good objects.
#pragma once

#include "store/fsck/link_ledger.h"
#include "store/fsck/storage.h"
#include "store/report/policy.h"
#include "store/report/sink.h"
#include "store/repository/repository.h"

namespace assay {

void check_crossrefs(const Repository& repository, const Storage& storage, const LinkLedger& ledger,
                     const Policy& policy, FindingSink& findings);

}  // namespace assay
