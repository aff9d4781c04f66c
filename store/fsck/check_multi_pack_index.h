// check_multi_pack_indexes: the multi-pack-indexes of all object directories against their packs.
//
// All that git multi-pack-index verify checks, in its words: checksum, packs, order of ids, the
// offset of every object. Beyond git: the lower layers of a chain, objects of the packs that the
// multi-pack-index lacks (lookups miss them), and the order of bits for its bitmap.
#pragma once

#include "store/fsck/link_ledger.h"
#include "store/fsck/multi_pack_indexes.h"
#include "store/report/policy.h"
#include "store/report/sink.h"

namespace assay {

struct MultiPackIndexCheckOptions {
  bool has_commit_graph = false;  // git reads commits from there, not by the multi-pack-index
};

// `indexes`: one for each folder. One that was replaced since (a repack ran meanwhile) is loaded
// again and stands there afterwards.
void check_multi_pack_indexes(std::vector<StoredMultiPackIndex>& indexes,
                              const std::vector<PackFolder>& folders, const Storage& storage,
                              const LinkLedger& ledger, const MultiPackIndexCheckOptions& options,
                              const Policy& policy, FindingSink& findings);

}  // namespace assay
