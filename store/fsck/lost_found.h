// --lost-found: dangling objects as files below lost-found/ of the git directory: a blob as its
// content in other/<id>, everything else as its id and a line feed, commits in commit/<id>.
//
// Nothing is followed: a symbolic link or a file in the place of one of the folders is a fault, and
// an existing file is replaced as a whole, never written through.
#pragma once

#include <vector>

#include "store/fsck/link_ledger.h"
#include "store/fsck/storage.h"
#include "store/repository/repository.h"

namespace assay {

// `dangling`: numbers of the object table. Returns: what went wrong, in git's words where it has
// some.
std::vector<Fault> write_lost_found(const Repository& repository, const Storage& storage,
                                    const LinkLedger& ledger,
                                    const std::vector<std::uint32_t>& dangling);

}  // namespace assay
