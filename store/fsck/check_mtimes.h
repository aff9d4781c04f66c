// check_mtimes: the .mtimes files of cruft packs: header, size, checksum, and that they were made
// for their packs. git fsck never looks at them.
#pragma once

#include "store/fsck/pack_folder.h"
#include "store/report/sink.h"

namespace assay {

void check_mtimes(const Storage& storage, const std::vector<PackFolder>& folders,
                  const Policy& policy, FindingSink& findings);

// Warns of files that belong to a pack which is not there: .rev, .bitmap, .mtimes, .keep and
// .promisor.
void check_satellites(const std::vector<PackFolder>& folders, const Policy& policy,
                      FindingSink& findings);

}  // namespace assay
