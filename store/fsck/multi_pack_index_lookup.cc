#include "store/fsck/multi_pack_index_lookup.h"

#include <algorithm>

namespace assay {
namespace {

bool lists(const MultiPackIndex& index, const ObjectId& id) {
  std::uint32_t low = 0;
  std::uint32_t high = index.count();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (index.id(middle) < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < index.count() && index.id(low) == id;
}

}  // namespace

bool MultiPackIndexLookup::contains(const ObjectId& id) {
  if (!opened_) {
    opened_ = true;
    for (const PackFolder& folder : list_pack_folders(storage_)) {
      indexes_.push_back(load_multi_pack_index(storage_.system(), storage_.kind(), folder));
    }
  }
  for (const StoredMultiPackIndex& index : indexes_) {
    const auto& layers = index.chain.layers();
    if (std::any_of(layers.begin(), layers.end(), [&](const MultiPackIndexChain::Layer& layer) {
          return lists(layer.index, id);
        })) {
      return true;
    }
  }
  return false;
}

}  // namespace assay
