#include "store/fsck/multi_pack_index_lookup.h"

#include <algorithm>

namespace assay {

void MultiPackIndexLookup::open() {
  opened_ = true;
  packs_ = packs_by_path(storage_);
  for (const PackFolder& folder : list_pack_folders(storage_)) {
    listings_.push_back(
        {folder.shown, load_multi_pack_index(storage_.system(), storage_.kind(), folder)});
  }
}

bool MultiPackIndexLookup::is_in_layer(const Listing& listing, const MultiPackIndex& layer,
                                       const ObjectId& id) const {
  const auto row = layer.find(id.data());
  if (!row || layer.pack(*row) >= layer.pack_names().size()) return false;
  std::string_view name = layer.pack_names()[layer.pack(*row)];
  if (!name.ends_with(".idx")) return false;
  name.remove_suffix(4);
  return packs_.contains(listing.folder + "/" + std::string(name) + ".pack");
}

bool MultiPackIndexLookup::contains(const ObjectId& id) {
  if (!opened_) open();
  return std::any_of(listings_.begin(), listings_.end(), [&](const Listing& listing) {
    const auto& layers = listing.index.chain.layers();
    return std::any_of(layers.begin(), layers.end(), [&](const MultiPackIndexChain::Layer& layer) {
      return is_in_layer(listing, layer.index, id);
    });
  });
}

}  // namespace assay
