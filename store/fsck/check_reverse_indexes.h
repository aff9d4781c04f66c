// check_reverse_indexes: the .rev files of all packs against their packs.
//
// As git fsck does, whatever pack.readReverseIndex says: size, header, checksum, and every position
// against the order of the entries. Beyond git: that the file was made for this pack and hash.
#pragma once

#include "store/fsck/multi_pack_indexes.h"
#include "store/fsck/pack_folder.h"
#include "store/report/sink.h"

namespace assay {

void check_reverse_indexes(const Storage& storage, const std::vector<PackFolder>& folders,
                           const Policy& policy, FindingSink& findings);

// The same for packs whose index is gone: git knows those that its multi-pack-index names, and
// cannot load their reverse indexes. `indexes`: one for each folder.
void check_unindexed_packs(const Storage& storage, const std::vector<PackFolder>& folders,
                           const std::vector<StoredMultiPackIndex>& indexes, const Policy& policy,
                           FindingSink& findings);

}  // namespace assay
