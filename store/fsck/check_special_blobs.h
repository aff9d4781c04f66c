// check_special_blobs: judges the content of blobs that some tree calls .gitmodules or
// .gitattributes, once every object has been read.
#pragma once

#include "store/fsck/check_storage.h"
#include "store/fsck/root_table.h"

namespace assay {

// A blob that is absent but promised is passed over, as git does.
void check_special_blobs(const Storage& storage, const LinkLedger& ledger,
                         const SpecialBlobs& blobs, const ObjectIdSet& promised,
                         const StorageCheckOptions& options, FindingSink& findings);

}  // namespace assay
