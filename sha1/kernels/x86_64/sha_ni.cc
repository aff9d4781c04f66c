// SHA-1 of one message with the SHA extensions and SSE4.1, without detection.
//
// Four steps are one SHA1RNDS4 with a latency of 4 cycles, so the chain of a block is 80 cycles.
// The message schedule must fit beside it. Its dedicated instruction SHA1MSG2 does not: it is
// microcoded and takes 4 cycles on Intel's cores, which holds the usual code at 112 to 122 cycles a
// block. From step 32 the schedule has an equivalent form without a dependency inside four words,
//   W[t] = rol2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]),
// found by substituting the recurrence into itself; it needs plain vector instructions only.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni.h"

#include <utility>

#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

constexpr std::size_t kPrefetchDistance = 1024;

template <std::size_t... kGroups>
ASSAY_SHA_NI_INLINE void all_steps(sha_ni::Stream& s, __m128i e, const std::uint8_t* block,
                                   std::index_sequence<kGroups...>) {
  (sha_ni::four_steps<kGroups>(s, e, block), ...);
}

}  // namespace

ASSAY_SHA_NI void compress_sha_ni(std::uint32_t state[5], const std::uint8_t* blocks,
                                  std::size_t n) {
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (; n != 0; --n, blocks += kBlockSize) {
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    all_steps(s, e, blocks, std::make_index_sequence<20>());
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = _mm_sha1nexte_epu32(s.previous, e);
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
}

}  // namespace assay::sha1

#endif
