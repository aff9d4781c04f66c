#ifndef ASSAY_SHA1_COLLISION_JUDGE_H_
#define ASSAY_SHA1_COLLISION_JUDGE_H_

#include <cstddef>
#include <cstdint>

#include "sha1/kernel.h"

/// What passes between hashing, judging and recompressing when collisions are looked for.
///
/// Detection by counter-cryptanalysis (M. Stevens, "Counter-cryptanalysis", CRYPTO 2013) with
/// unavoidable bit conditions (M. Stevens and D. Shumow, "Speeding up detection of SHA-1 collision
/// attacks using unavoidable attack conditions", USENIX Security 2017):
///
/// - *judge*: 156 conditions on the expanded message of a block say which of 32 disturbance vectors
///   an attacker could have used for it. They read the message only, never the state, so judging
///   may lag behind hashing. About one random block in twenty leaves a vector.
/// - *recompress*: for every vector that is left, the compression is run again from a step in its
///   middle, with the message that the twin block of such an attack would have. If that ends in the
///   same chaining value, this block is one half of a near-collision pair.
///
/// Every tier judges all conditions: a filter of some of them lets ordinary blocks (padding, zeros)
/// pass all the time.
namespace assay::sha1::collision {

/// The vectors that remain possible for a block: bit d for vector d of kVectors.
using VectorSet = std::uint32_t;

/// Rows of blocks that a lane kernel can log before they are judged.
inline constexpr unsigned kLogRows = 8;

/// The steps, one of them for each vector, before which recompression starts.
inline constexpr unsigned kEarlyStep = 58;
inline constexpr unsigned kLateStep = 65;

/// First and last word of the expanded message that a condition reads.
inline constexpr unsigned kFirstWord = 35;
inline constexpr unsigned kLastWord = 64;

/// What a lane kernel leaves about the rows it hashed. About 23 KB.
struct LaneLog {
  /// Of one row: the working variables a to e before two steps, and the chaining value after it.
  struct alignas(64) Row {
    std::uint32_t early[5][kMaxLanes];
    std::uint32_t late[5][kMaxLanes];
    std::uint32_t out[5][kMaxLanes];
  };
  Row row[kLogRows];
  /// What the conditions need, in a form that is private to each lane kernel and its judge.
  alignas(64) unsigned char evidence[kLogRows * (kLastWord + 1 - kFirstWord) * kMaxLanes * 4];
  unsigned rows = 0;  ///< Rows logged and not yet judged.
};

/// A block of a log, and a vector that remains possible for it.
struct Survivor {
  std::uint8_t row;
  std::uint8_t lane;
  std::uint8_t vector;
};

/// The most survivors that one log can have.
inline constexpr unsigned kMaxSurvivors = kLogRows * kMaxLanes * 32;

/// Blocks that are to be recompressed, each for one vector that remains possible: up to 16, as a
/// struct of arrays so that they fit in lanes.
struct Suspects {
  static constexpr unsigned kCapacity = 16;

  /// The block as its twin would be: with the message difference of the vector.
  alignas(64) std::uint8_t twin[kCapacity][kBlockSize];
  alignas(64) std::uint32_t state[5][kCapacity];  ///< Working variables before the vector's step.
  std::uint32_t out[5][kCapacity];                ///< Chaining value after the block.
  std::uint32_t late = 0;                         ///< Bit i: the step of entry i is kLateStep.
  unsigned count = 0;
};

}  // namespace assay::sha1::collision

#endif  // ASSAY_SHA1_COLLISION_JUDGE_H_
