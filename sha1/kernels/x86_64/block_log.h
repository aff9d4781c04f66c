#ifndef ASSAY_SHA1_KERNELS_X86_64_BLOCK_LOG_H_
#define ASSAY_SHA1_KERNELS_X86_64_BLOCK_LOG_H_

#include <cstdint>

#include "sha1/collision/judge.h"
#include "sha1/kernel.h"

namespace assay::sha1 {

/// The states that a detecting kernel for one message keeps of a block until it is judged. Vectors
/// are in the order of the SHA instructions: the first word is in the highest lane.
struct alignas(16) BlockStates {
  std::uint32_t abcd[2][4];      ///< Before step 56 and before step 64.
  std::uint32_t previous[2][4];  ///< abcd four steps earlier.
  std::uint32_t out_abcd[4];     ///< The chaining value after the block;
  std::uint32_t out_e[4];        ///< its e is in the highest lane.
};

/// The message words that lead from there to the steps of the vectors.
struct WordsToVectors {
  std::uint32_t word56;
  std::uint32_t word57;
  std::uint32_t word64;
};

/// The states, and the words that conditions read.
struct alignas(64) BlockLog : BlockStates {
  static constexpr unsigned kFirst = 32;
  static constexpr unsigned kLast = 67;

  std::uint32_t words[kLast + 1 - kFirst];  ///< Message word t at index 67 - t.

  std::uint32_t word(unsigned t) const { return words[kLast - t]; }
  /// Where message word t lies; the words before it follow.
  const std::uint32_t* at(unsigned t) const { return words + (kLast - t); }
  std::uint32_t* at(unsigned t) { return words + (kLast - t); }
};

/// Queues a block in `suspects` for a vector that remains, and recompresses when the queue is full.
///
/// Returns: whether a collision was found in doing so.
bool take_vector(const BlockStates& states, const WordsToVectors& words, const std::uint8_t* block,
                 unsigned vector, collision::Suspects& suspects, Recompress* recompress);

/// As take_vector, for all the vectors whose bit is 0 in `result`, by the numbering of
/// collision::result_bit.
bool take_suspect(const BlockLog& log, const std::uint8_t* block, std::uint32_t result,
                  collision::Suspects& suspects, Recompress* recompress);

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_X86_64_BLOCK_LOG_H_
