#ifndef ASSAY_SHA1_KERNELS_LANE_HELPERS_H_
#define ASSAY_SHA1_KERNELS_LANE_HELPERS_H_

#include <cstddef>
#include <cstdint>

#include "sha1/kernel.h"

/// What the lane engine (sha1/batch.cc) does between rows, for processors that have a faster way.
/// With short messages that is as much work as hashing.
namespace assay::sha1 {

/// Where the lanes are: the next block of each, and the blocks left in its segment.
struct alignas(64) LaneCursor {
  const std::uint8_t* at[kMaxLanes];
  alignas(64) std::uint32_t left[kMaxLanes];
};

/// How far the lanes are.
struct LaneProgress {
  std::uint32_t ended;  ///< Bit L is set when lane L has no block left.
  std::uint32_t least;  ///< The least number of blocks left of the other lanes.
};

struct LaneHelpers {
  /// Gives the lanes whose bits are set in `lanes` the initial chaining value.
  void (*reset)(LaneState& state, std::uint32_t lanes);

  /// Moves the first `lanes` lanes on by `rows` blocks, of which they have as many left at least.
  LaneProgress (*advance)(LaneCursor& cursor, unsigned lanes, std::uint32_t rows);

  /// Ends a message of `length` bytes: writes the last `rest` bytes, which are at `body`, to `to`,
  /// and the padding from there to `end`, the end of a block. Reads `rest` bytes only; may spoil
  /// kBlockSize bytes behind `end`.
  ///
  /// Requires: there are 9 to 72 bytes between the end of the message and `end`.
  void (*write_tail)(std::uint8_t* to, std::uint8_t* end, const std::uint8_t* body,
                     std::size_t rest, std::uint64_t length);
};

extern const LaneHelpers kPortableLaneHelpers;  ///< kernels/lane_helpers.cc

#if defined(__x86_64__)
extern const LaneHelpers kAvx512LaneHelpers;  ///< kernels/x86_64/avx512_lane_helpers.cc: kCpuAvx512
#endif

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_LANE_HELPERS_H_
