#ifndef ASSAY_SHA1_COLLISION_SURVIVORS_H_
#define ASSAY_SHA1_COLLISION_SURVIVORS_H_

#include <bit>
#include <cstdint>

#include "sha1/collision/slices.h"

namespace assay::sha1::collision {

/// Judges 64 logged blocks that are sliced in `slices`: bit n belongs to row first_row + n / lanes
/// and lane n % lanes. Rows from `rows` on are not there.
///
/// Writes every block and vector that remain to `survivors`. Returns: their number.
inline unsigned collect_survivors(const std::uint64_t slices[], unsigned first_row, unsigned rows,
                                  unsigned lanes, Survivor* survivors) {
  std::uint64_t broken[kVectorCount];
  std::uint64_t left = judge_slices(slices, broken);
  const unsigned there = (rows - first_row) * lanes;
  if (there < 64) left &= (std::uint64_t{1} << there) - 1;
  unsigned count = 0;
  for (; left != 0; left &= left - 1) {
    const unsigned at = static_cast<unsigned>(std::countr_zero(left));
    const std::uint8_t row = static_cast<std::uint8_t>(first_row + at / lanes);
    const std::uint8_t lane = static_cast<std::uint8_t>(at % lanes);
    VectorSet set = 0;
    for (unsigned d = 0; d < kVectorCount; ++d) {
      set |= static_cast<VectorSet>(~broken[d] >> at & 1) << d;
    }
    for (; set != 0; set &= set - 1) {
      survivors[count++] = {row, lane, static_cast<std::uint8_t>(std::countr_zero(set))};
    }
  }
  return count;
}

}  // namespace assay::sha1::collision

#endif  // ASSAY_SHA1_COLLISION_SURVIVORS_H_
