#include "store/pack/offset_order.h"

#include <algorithm>

namespace assay {

OffsetOrder OffsetOrder::build(const PackIndex& index) {
  OffsetOrder order;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;
  entries.reserve(index.count());
  for (std::uint32_t i = 0; i < index.count(); ++i) {
    if (const auto offset = index.offset({i})) entries.emplace_back(offset->value, i);
  }
  std::sort(entries.begin(), entries.end());
  order.offsets_.reserve(entries.size());
  order.positions_.reserve(entries.size());
  for (const auto& [offset, position] : entries) {
    order.offsets_.push_back(offset);
    order.positions_.push_back({position});
  }
  return order;
}

std::optional<IndexPosition> OffsetOrder::position_at(PackOffset offset) const {
  const auto found = std::lower_bound(offsets_.begin(), offsets_.end(), offset.value);
  if (found == offsets_.end() || *found != offset.value) return std::nullopt;
  return positions_[static_cast<std::size_t>(found - offsets_.begin())];
}

std::optional<PackOffset> OffsetOrder::next(PackOffset offset) const {
  const auto found = std::upper_bound(offsets_.begin(), offsets_.end(), offset.value);
  if (found == offsets_.end()) return std::nullopt;
  return PackOffset{*found};
}

}  // namespace assay
