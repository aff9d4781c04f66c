#include "store/pack/delta_base_cache.h"

namespace assay {

std::shared_ptr<const CachedBase> DeltaBaseCache::find(const void* pack, PackOffset offset) {
  const auto found = index_.find({pack, offset.value});
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->base;
}

void DeltaBaseCache::add(const void* pack, PackOffset offset,
                         std::shared_ptr<const CachedBase> base) {
  const Key key{pack, offset.value};
  if (base->bytes.size() > limit_ / 8 || index_.contains(key)) return;
  size_ += base->bytes.size();
  entries_.push_front({key, std::move(base)});
  index_[key] = entries_.begin();
  while (size_ > limit_) {
    size_ -= entries_.back().base->bytes.size();
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace assay
