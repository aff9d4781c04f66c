#ifndef ASSAY_SHA1_KERNELS_X86_64_SHA_NI_H_
#define ASSAY_SHA1_KERNELS_X86_64_SHA_NI_H_

#include <immintrin.h>

#include <cstdint>

/// Four steps of one message with the SHA extensions and SSE4.1: what the plain and the detecting
/// kernels for one message share. See sha_ni.cc for the schedule.

#define ASSAY_SHA_NI __attribute__((target("sha,sse4.1")))
#define ASSAY_SHA_NI_INLINE __attribute__((target("sha,sse4.1"), always_inline)) inline

namespace assay::sha1::sha_ni {

/// The vectors are in the order of the SHA instructions: the first word is in the highest lane.
struct Stream {
  __m128i abcd;
  __m128i previous;  ///< abcd four steps earlier: its a, rotated, is the present e.
  __m128i x[8];      ///< The last 32 message words.
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

/// Steps 4 * kGroup to 4 * kGroup + 3.
template <unsigned kGroup>
ASSAY_SHA_NI_INLINE void four_steps(Stream& s, __m128i e, const std::uint8_t* block) {
  const __m128i words = message_words<kGroup>(s, block);
  s.x[kGroup % 8] = words;
  const __m128i e_and_words =
      kGroup == 0 ? _mm_add_epi32(e, words) : _mm_sha1nexte_epu32(s.previous, words);
  s.previous = s.abcd;
  s.abcd = _mm_sha1rnds4_epu32(s.abcd, e_and_words, kGroup / 5);
}

}  // namespace assay::sha1::sha_ni

#endif  // ASSAY_SHA1_KERNELS_X86_64_SHA_NI_H_
