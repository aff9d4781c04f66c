// MultiPackIndexChain: multi-pack-indexes put together, each beside those before: an incremental
// chain, or a single file as a chain of one layer.
//
// Views: the bytes of all layers must outlive the chain. Thread safety: const members from any
// thread, once all layers are added.
#pragma once

#include <vector>

#include "store/graph/multi_pack_index.h"

namespace assay {

class MultiPackIndexChain {
 public:
  struct Layer {
    MultiPackIndex index;
    std::uint32_t first_position = 0;  // of its first object: so many lie in lower layers
    std::uint32_t first_pack = 0;      // likewise of its packs
    ObjectId name;                     // as the chain file calls it; null for a single file
  };

  // Puts a layer on top. Errors: kMultiPackIndexDoubtful, in git's words; the chain is as it was.
  Result<void> add(MultiPackIndex index, const ObjectId& name);

  const std::vector<Layer>& layers() const { return layers_; }
  // Objects and packs in all layers.
  std::uint32_t count() const { return count_; }
  std::uint32_t pack_count() const { return pack_count_; }

 private:
  std::vector<Layer> layers_;
  std::uint32_t count_ = 0;
  std::uint32_t pack_count_ = 0;
};

}  // namespace assay
