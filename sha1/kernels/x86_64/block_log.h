#ifndef ASSAY_SHA1_KERNELS_X86_64_BLOCK_LOG_H_
#define ASSAY_SHA1_KERNELS_X86_64_BLOCK_LOG_H_

#include <cstdint>

#include "sha1/collision/judge.h"
#include "sha1/kernel.h"

namespace assay::sha1 {

/// What a detecting kernel for one message keeps of a block until it is judged. Vectors are in the
/// order of the SHA instructions: the first word is in the highest lane.
struct alignas(64) BlockLog {
  static constexpr unsigned kFirst = 32;
  static constexpr unsigned kLast = 67;

  std::uint32_t words[kLast + 1 - kFirst];  ///< Message word t at index 67 - t.
  std::uint32_t abcd[2][4];                 ///< Before step 56 and before step 64.
  std::uint32_t previous[2][4];             ///< abcd four steps earlier.
  std::uint32_t out_abcd[4];                ///< The chaining value after the block;
  std::uint32_t out_e[4];                   ///< its e is in the highest lane.

  std::uint32_t word(unsigned t) const { return words[kLast - t]; }
  /// Where message word t lies; the words before it follow.
  const std::uint32_t* at(unsigned t) const { return words + (kLast - t); }
  std::uint32_t* at(unsigned t) { return words + (kLast - t); }
};

/// Takes up a block for which vectors remain: those whose bit is 0 in `result`, by the numbering of
/// collision::result_bit. Queues it in `suspects`, and recompresses when the queue is full.
///
/// Returns: whether a collision was found in doing so.
bool take_suspect(const BlockLog& log, const std::uint8_t* block, std::uint32_t result,
                  collision::Suspects& suspects, Recompress* recompress);

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_X86_64_BLOCK_LOG_H_
