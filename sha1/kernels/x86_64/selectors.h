#ifndef ASSAY_SHA1_KERNELS_X86_64_SELECTORS_H_
#define ASSAY_SHA1_KERNELS_X86_64_SELECTORS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "sha1/collision/slices.h"

/// How VPSHUFBITQMB takes the picks of collision/slices.h, for the kernels that use it.
///
/// The evidence in a LaneLog is evidence[pick][row], 64 bits each. Bit 2 * slot + 1 of byte n
/// belongs to lane 2 * n + 1, bit 2 * slot to lane 2 * n.
namespace assay::sha1 {

inline constexpr std::size_t kPickBytes = 8 * collision::kLogRows;
static_assert(kPickBytes == 64);
static_assert(collision::kPicks.count * kPickBytes <= sizeof collision::LaneLog::evidence);

/// The control vector of a pick: eight bit numbers for the eight bits taken from each element.
struct alignas(64) Selector {
  std::uint8_t byte[64];
};

constexpr auto make_selectors() {
  std::array<Selector, collision::kPicks.count> selectors{};
  for (unsigned i = 0; i < collision::kPicks.count; ++i) {
    for (unsigned n = 0; n < 64; ++n) {
      const unsigned odd_lane = n % 2;
      selectors[i].byte[n] =
          static_cast<std::uint8_t>(collision::kPicks.picks[i].bit[n % 8 / 2] + 32 * odd_lane);
    }
  }
  return selectors;
}

inline constexpr std::array<Selector, collision::kPicks.count> kSelectors = make_selectors();

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_X86_64_SELECTORS_H_
