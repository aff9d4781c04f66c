// MultiPackIndexLookup: whether a multi-pack-index lists an object, in a pack that can be used. git
// looks objects up there before it asks the indexes of the packs, and believes it, so what is
// listed is not "missing" to it.
//
// The files are opened at the first question. Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "store/fsck/multi_pack_indexes.h"

namespace assay {

class MultiPackIndexLookup {
 public:
  // `storage` must outlive the lookup.
  explicit MultiPackIndexLookup(const Storage& storage) : storage_(storage) {}

  bool contains(const ObjectId& id);

 private:
  struct Listing {
    std::string folder;  // as messages show it
    StoredMultiPackIndex index;
  };

  void open();
  bool is_in_layer(const Listing& listing, const MultiPackIndex& layer, const ObjectId& id) const;

  const Storage& storage_;
  bool opened_ = false;
  std::vector<Listing> listings_;
  PacksByPath packs_;
};

}  // namespace assay
