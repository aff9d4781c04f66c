// check_bitmaps: the reachability bitmaps of packs and multi-pack-indexes.
//
// git looks at the checksums, and only at the uppermost layer of a chain. Beyond git: that
// everything in the file can be, that it was made for this pack, that the bitmapped objects are
// commits, and that the four bitmaps of types tell the truth; and, when asked for, that every
// bitmap names what its commit reaches (bitmap_truth.h).
#pragma once

#include "store/fsck/bitmap_truth.h"
#include "store/fsck/link_ledger.h"
#include "store/fsck/multi_pack_indexes.h"
#include "store/report/policy.h"
#include "store/report/sink.h"

namespace assay {

// `truth`: compare bitmaps with links. Not for layers of a chain.
void check_bitmaps(const std::vector<StoredMultiPackIndex>& indexes,
                   const std::vector<PackFolder>& folders, const Storage& storage,
                   const LinkLedger& ledger, const std::optional<BitmapTruthOptions>& truth,
                   const Policy& policy, FindingSink& findings);

}  // namespace assay
