// CopyReader: reads single objects by number from whatever copy is good, for the few occasions
// when an object is needed again after the storage was verified.
//
// Every copy is rehashed before it is handed out. A packed copy whose delta base is damaged is made
// from another copy of that base, as git does. Thread safety: one reader a thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/codec/inflate.h"
#include "store/fsck/storage.h"
#include "store/loose/loose_object.h"

namespace assay {

// Whether git dies when it reads a loose object with this fault by name. It takes an empty file for
// none, and does not notice that there is less than the header declares.
bool kills_git(const Fault& fault);

class CopyReader {
 public:
  struct Object {
    ObjectType type = ObjectType::kUnknown;
    Bytes bytes;
  };

  // An object is not read if it takes more than `limit` bytes, its delta base included.
  CopyReader(const Storage& storage, std::uint64_t limit);

  // Returns: the object, or nothing when no copy of it is good.
  std::optional<Object> read(std::uint32_t number);
  // Returns: the first copy that can be unpacked, packed ones before loose ones, whatever its hash:
  // what git reads where it does not ask for the hash. A loose object with less content than it
  // declares counts, too.
  // `dies`: set when git ends its run at what it meets on the way.
  std::optional<Object> read_unchecked(std::uint32_t number, bool& dies);
  // Returns: only its type, believed as the first copy that names one says.
  std::optional<ObjectType> type_of(std::uint32_t number);

 private:
  std::optional<Object> read_loose_unchecked(const StoredFanout& fanout, std::size_t position,
                                             bool& dies);
  LoosePlace place_of(const StoredFanout& fanout, std::size_t position) const;
  // Calls `use` with every loose copy, until it returns true.
  void each_loose(const ObjectId& id,
                  const std::function<bool(const StoredFanout&, std::size_t)>& use) const;
  std::optional<Object> read_any_copy(std::uint32_t number);
  std::optional<Object> read_loose(const StoredFanout& fanout, std::size_t position);
  std::optional<Object> read_packed(const StoredPack& pack, PackPosition entry);
  bool patch(const StoredPack& pack, PackPosition entry, Bytes& bytes);
  bool inflate_entry(const StoredPack& pack, PackPosition entry, Bytes& bytes);
  bool is_good(std::uint32_t number, const Object& object) const;
  std::optional<PackPosition> entry_of(const StoredPack& pack, IndexPosition position) const;

  const Storage& storage_;
  std::uint64_t limit_;
  Inflater inflater_;
  LooseReader loose_reader_;
  std::vector<std::uint32_t> under_way_;  // objects that read() is looking for, outermost first
};

}  // namespace assay
