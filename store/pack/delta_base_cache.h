// DeltaBaseCache: delta bases that were read lately, for readers of single objects.
//
// Objects that lie close together in a pack share their bases; without a cache each would inflate
// its whole chain again. Least recently used bases go first. Thread safety: none.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "store/base/bytes.h"
#include "store/base/object_type.h"
#include "store/base/positions.h"

namespace assay {

struct CachedBase {
  ObjectType type = ObjectType::kUnknown;
  Bytes bytes;           // the object, and kDeltaSlack bytes behind it
  std::size_t size = 0;  // of the object
};

class DeltaBaseCache {
 public:
  // Bytes of objects that are kept; an object above an eighth of it never is.
  explicit DeltaBaseCache(std::size_t limit) : limit_(limit) {}

  // `pack` tells packs apart; it is not looked at. Returns: null when it is not here.
  std::shared_ptr<const CachedBase> find(const void* pack, PackOffset offset);
  void add(const void* pack, PackOffset offset, std::shared_ptr<const CachedBase> base);

 private:
  struct Key {
    const void* pack;
    std::uint64_t offset;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
      return (key.offset ^ reinterpret_cast<std::uintptr_t>(key.pack)) * 0x9e3779b97f4a7c15U;
    }
  };
  struct Entry {
    Key key;
    std::shared_ptr<const CachedBase> base;
  };

  std::size_t limit_;
  std::size_t size_ = 0;
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> index_;
};

}  // namespace assay
