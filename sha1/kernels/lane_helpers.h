#ifndef ASSAY_SHA1_KERNELS_LANE_HELPERS_H_
#define ASSAY_SHA1_KERNELS_LANE_HELPERS_H_

#include <cstddef>
#include <cstdint>

#include "sha1/job.h"
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

/// A digest of every lane: words a to d of lane L at most[L], word e at rest[L], as bytes.
struct alignas(64) LaneDigests {
  std::uint8_t most[kMaxLanes][16];
  std::uint8_t rest[kMaxLanes][4];
};

struct LaneHelpers {
  /// Gives the lanes whose bits are set in `lanes` the initial chaining value.
  void (*reset)(LaneState& state, std::uint32_t lanes);

  /// Moves the first `lanes` lanes on by `rows` blocks, of which they have as many left at least.
  LaneProgress (*advance)(LaneCursor& cursor, unsigned lanes, std::uint32_t rows);

  /// Writes the end of a message: the bytes of the body from `offset` on, before them the header
  /// when `offset` is 0, and the padding behind them; exactly `blocks` blocks at `to`, which is
  /// aligned to kBlockSize. Reads nothing but these bytes.
  ///
  /// Requires: so many blocks are what these bytes and the padding fill; offset <= job.body_size.
  void (*stage)(std::uint8_t* to, std::size_t blocks, const Job& job, std::uint64_t offset);

  /// Writes the digests that the states of lanes are: of those whose bits are set in `lanes`, and
  /// perhaps of others.
  void (*digests)(const LaneState& state, std::uint32_t lanes, LaneDigests& digests);
};

extern const LaneHelpers kPortableLaneHelpers;  ///< kernels/lane_helpers.cc

#if defined(__x86_64__)
extern const LaneHelpers kAvx512LaneHelpers;  ///< kernels/x86_64/avx512_lane_helpers.cc: kCpuAvx512
#endif

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_LANE_HELPERS_H_
