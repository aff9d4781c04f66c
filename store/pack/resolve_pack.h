// ResolvePack: a pack with its index and its delta forest, as those need it that read its entries.
//
// Thread safety: nothing here changes.
#pragma once

#include <optional>

#include "store/pack/delta_forest.h"

namespace assay {

// Owns nothing; what it points to outlives whoever uses it.
struct ResolvePack {
  const PackFile* pack = nullptr;
  const PackIndex* index = nullptr;
  const DeltaForest* forest = nullptr;
};

// Returns: the entry's header, its stream, and whatever lies between it and the next entry.
ByteView entry_bytes(const ResolvePack& pack, PackPosition entry);

// Compares the CRC-32 of the entry, whose bytes these are, with the index. Returns: the fault, if
// there is one.
std::optional<Fault> check_entry_crc(const ResolvePack& pack, PackPosition entry, ByteView bytes);

}  // namespace assay
