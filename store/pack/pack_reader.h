// PackReader: single objects out of a pack, by offset. For all objects of a pack at once see
// delta_resolver.h, which inflates each entry only once.
//
// Chains of deltas are followed without recursion; one that leads back to itself is a fault
// (kDeltaCycle). Nothing is allocated on the word of an entry alone: declared sizes are held
// against the bytes that are there and against the caller's limit, and a delta's program is
// counted before its result is made. Bases are looked for in the same pack only, as git does.
//
// Bases are kept for the next object (32 MiB at most).
//
// Thread safety: none; one reader a thread. The pack and the index may be shared; a pack must
// outlive the reader that has read from it.
#pragma once

#include <functional>
#include <vector>

#include "store/codec/inflate.h"
#include "store/codec/zlib_stream.h"
#include "store/pack/delta_base_cache.h"
#include "store/pack/pack_file.h"
#include "store/pack/pack_index.h"
#include "store/report/fault.h"

namespace assay {

struct PackedInfo {
  ObjectType type = ObjectType::kUnknown;  // of the object, not of the delta
  std::uint64_t size = 0;                  // of the object
  bool is_delta = false;
  PackOffset base_offset;  // of a delta: the entry it is made against
};

struct PackedObject {
  ObjectType type = ObjectType::kUnknown;
  Bytes content;
};

class PackReader {
 public:
  using Consumer = std::function<void(ByteView)>;

  PackReader();

  // Type and size. Reads headers and at most the first bytes of one delta.
  Result<PackedInfo> info(const PackFile& pack, const PackIndex& index, PackOffset offset);

  // Returns: the object whole. Errors: kObjectTooLarge when it, or a base or delta on the way, has
  // more than `limit` bytes.
  Result<PackedObject> read(const PackFile& pack, const PackIndex& index, PackOffset offset,
                            std::uint64_t limit);

  // Gives the content of an entry that is no delta in pieces of at most 64 KiB, in constant
  // memory. Requires: !info().is_delta. Faults may come after the last piece.
  Result<void> stream(const PackFile& pack, PackOffset offset, const Consumer& consume);

 private:
  struct Link {
    PackOffset offset;
    EntryHeader header;
  };

  Result<PackOffset> base_of(const PackFile& pack, const PackIndex& index, const Link& link) const;
  // The entry, its base, the base's base, ... down to a whole object, which comes last, or to an
  // object that the cache has, which is not in the chain.
  struct Chain {
    std::vector<Link> links;
    std::shared_ptr<const CachedBase> base;
  };
  Result<Chain> chain_of(const PackFile& pack, const PackIndex& index, PackOffset offset,
                         bool use_cache);
  Result<void> inflate(const PackFile& pack, const Link& link, std::uint64_t limit, Bytes& out);
  Result<std::shared_ptr<const CachedBase>> apply(const PackFile& pack, const Link& link,
                                                  const CachedBase& base, std::uint64_t limit);
  Result<std::uint64_t> delta_result_size(const PackFile& pack, const Link& link);

  Inflater inflater_;
  ZlibInflater windows_;
  DeltaBaseCache cache_;
  Bytes delta_;
};

}  // namespace assay
