// OffsetOrder: the entries of a pack index by offset, for the few questions that random access
// asks of it: where does an entry end, and which object begins at an offset.
//
// Thread safety: immutable once built.
#pragma once

#include <optional>
#include <vector>

#include "store/pack/pack_index.h"

namespace assay {

class OffsetOrder {
 public:
  // Positions without a valid offset are left out. 12 bytes an entry.
  static OffsetOrder build(const PackIndex& index);

  // The index positions, that of the entry with the lowest offset first.
  const std::vector<IndexPosition>& positions() const { return positions_; }
  // Returns: the index position whose entry begins exactly here.
  std::optional<IndexPosition> position_at(PackOffset offset) const;
  // Returns: where the next entry begins; nothing after the last one.
  std::optional<PackOffset> next(PackOffset offset) const;

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<IndexPosition> positions_;
};

}  // namespace assay
