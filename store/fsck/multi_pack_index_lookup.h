// MultiPackIndexLookup: whether a multi-pack-index lists an object. git looks objects up there
// before it asks the indexes of the packs, so what is listed is not "missing" to it.
//
// The files are opened at the first question. Thread safety: none.
#pragma once

#include <memory>
#include <vector>

#include "store/fsck/multi_pack_indexes.h"

namespace assay {

class MultiPackIndexLookup {
 public:
  // `storage` must outlive the lookup.
  explicit MultiPackIndexLookup(const Storage& storage) : storage_(storage) {}

  bool contains(const ObjectId& id);

 private:
  const Storage& storage_;
  bool opened_ = false;
  std::vector<StoredMultiPackIndex> indexes_;
};

}  // namespace assay
