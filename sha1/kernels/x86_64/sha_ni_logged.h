#ifndef ASSAY_SHA1_KERNELS_X86_64_SHA_NI_LOGGED_H_
#define ASSAY_SHA1_KERNELS_X86_64_SHA_NI_LOGGED_H_

#include <cstddef>
#include <utility>

#include "sha1/kernels/x86_64/block_log.h"
#include "sha1/kernels/x86_64/sha_ni.h"

/// The 80 steps of a block with the SHA extensions, which leave in a BlockLog what its judge needs:
/// what the detecting kernels with and without AVX2 share.
namespace assay::sha1::sha_ni {

ASSAY_SHA_NI_INLINE void store(std::uint32_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

template <unsigned kGroup>
ASSAY_SHA_NI_INLINE void logged_steps(Stream& s, __m128i e, const std::uint8_t* block,
                                      BlockLog& log) {
  if constexpr (kGroup == 14 || kGroup == 16) {
    store(log.abcd[(kGroup - 14) / 2], s.abcd);
    store(log.previous[(kGroup - 14) / 2], s.previous);
  }
  four_steps<kGroup>(s, e, block);
  if constexpr (4 * kGroup >= BlockLog::kFirst && 4 * kGroup <= BlockLog::kLast) {
    store(log.at(4 * kGroup + 3), s.x[kGroup % 8]);
  }
}

/// kGroups: 0 to 19. `e` is in the highest lane.
template <std::size_t... kGroups>
ASSAY_SHA_NI_INLINE void all_logged_steps(Stream& s, __m128i e, const std::uint8_t* block,
                                          BlockLog& log, std::index_sequence<kGroups...>) {
  (logged_steps<kGroups>(s, e, block, log), ...);
}

}  // namespace assay::sha1::sha_ni

#endif  // ASSAY_SHA1_KERNELS_X86_64_SHA_NI_LOGGED_H_
