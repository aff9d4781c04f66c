#include "store/fsck/check_crossrefs.h"

#include "store/fsck/check_reverse_indexes.h"

namespace assay {

void check_crossrefs(const Repository&, const Storage& storage, const LinkLedger&,
                     const Policy& policy, FindingSink& findings) {
  const std::vector<PackFolder> folders = list_pack_folders(storage);
  check_reverse_indexes(storage, folders, policy, findings);
}

}  // namespace assay
