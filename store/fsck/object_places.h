// Where objects lie, as findings say it: the file, and where in it. Looked up when something is
// reported, so that nothing has to be kept for objects that are sound.
//
// Thread safety: these only read; no pass may be running.
#pragma once

#include <string>

#include "store/fsck/link_ledger.h"
#include "store/fsck/storage.h"

namespace assay {

struct ObjectPlace {
  std::string file;                         // as messages show it; empty: nowhere
  std::uint64_t offset = Fault::kNoOffset;  // in a pack: where the entry begins
};

// Returns: the place of the first copy that is not known to be bad, or, if all are, of the first;
// packs come before loose objects, as git reads them.
ObjectPlace place_of(const Storage& storage, const LinkLedger& ledger, const ObjectId& id);

// Of one copy. Requires: `copy` is in the storage.
ObjectPlace place_of(const Storage& storage, const CopyKey& copy);

}  // namespace assay
