// SHA-1 of one message with the SHA extensions and SSE4.1, without detection.
//
// Four steps are one SHA1RNDS4 with a latency of 4 cycles, so the chain of a block is 80 cycles.
// The message schedule must fit beside it. Its dedicated instruction SHA1MSG2 does not: it is
// microcoded and takes 4 cycles on Intel's cores, which holds the usual code at 112 to 122 cycles a
// block. From step 32 the schedule has an equivalent form without a dependency inside four words,
//   W[t] = rol2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]),
// found by substituting the recurrence into itself; it needs plain vector instructions only.

#if defined(__x86_64__)

#include <immintrin.h>

#include <utility>

#include "sha1/kernels/kernels.h"

#define ASSAY_SHA_NI_INLINE __attribute__((target("sha,sse4.1"), always_inline)) inline

namespace assay::sha1 {
namespace {

constexpr std::size_t kPrefetchDistance = 1024;

// The vectors are in the order of the SHA instructions: the first word is in the highest lane.
struct Stream {
  __m128i abcd;
  __m128i previous;  // abcd four steps earlier: its a, rotated, is the present e
  __m128i x[8];      // the last 32 message words
};

template <unsigned kGroup>
ASSAY_SHA_NI_INLINE __m128i message_words(Stream& s, const std::uint8_t* block) {
  if constexpr (kGroup < 4) {
    const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    const __m128i* p = reinterpret_cast<const __m128i*>(block + 16 * kGroup);
    return _mm_shuffle_epi8(_mm_loadu_si128(p), order);
  } else if constexpr (kGroup < 8) {
    const __m128i part = _mm_sha1msg1_epu32(s.x[kGroup - 4], s.x[kGroup - 3]);
    return _mm_sha1msg2_epu32(_mm_xor_si128(part, s.x[kGroup - 2]), s.x[kGroup - 1]);
  } else {
    const __m128i t6 = _mm_alignr_epi8(s.x[(kGroup - 2) % 8], s.x[(kGroup - 1) % 8], 8);
    const __m128i early = _mm_xor_si128(s.x[(kGroup - 7) % 8], s.x[kGroup % 8]);
    const __m128i sum = _mm_xor_si128(_mm_xor_si128(early, s.x[(kGroup - 4) % 8]), t6);
    return _mm_or_si128(_mm_slli_epi32(sum, 2), _mm_srli_epi32(sum, 30));
  }
}

// Steps 4 * kGroup to 4 * kGroup + 3.
template <unsigned kGroup>
ASSAY_SHA_NI_INLINE void four_steps(Stream& s, __m128i e, const std::uint8_t* block) {
  const __m128i words = message_words<kGroup>(s, block);
  s.x[kGroup % 8] = words;
  const __m128i e_and_words =
      kGroup == 0 ? _mm_add_epi32(e, words) : _mm_sha1nexte_epu32(s.previous, words);
  s.previous = s.abcd;
  s.abcd = _mm_sha1rnds4_epu32(s.abcd, e_and_words, kGroup / 5);
}

template <std::size_t... kGroups>
ASSAY_SHA_NI_INLINE void all_steps(Stream& s, __m128i e, const std::uint8_t* block,
                                   std::index_sequence<kGroups...>) {
  (four_steps<kGroups>(s, e, block), ...);
}

}  // namespace

__attribute__((target("sha,sse4.1"))) void compress_sha_ni(std::uint32_t state[5],
                                                           const std::uint8_t* blocks,
                                                           std::size_t n) {
  __m128i* words = reinterpret_cast<__m128i*>(state);
  Stream s;
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
