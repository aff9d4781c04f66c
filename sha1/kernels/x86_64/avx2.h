#ifndef ASSAY_SHA1_KERNELS_X86_64_AVX2_H_
#define ASSAY_SHA1_KERNELS_X86_64_AVX2_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

/// Pieces that the AVX2 kernels share; see avx512.h for the attributes.

#define ASSAY_AVX2 __attribute__((target("avx2")))
#define ASSAY_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace assay::sha1::avx2 {

template <int kBits>
ASSAY_AVX2_INLINE __m256i rotate(__m256i x) {
  return _mm256_or_si256(_mm256_slli_epi32(x, kBits), _mm256_srli_epi32(x, 32 - kBits));
}

/// Turns the bytes of each big-endian word around.
ASSAY_AVX2_INLINE __m256i swap_bytes(__m256i words) {
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  return _mm256_shuffle_epi8(words, order);
}

/// Reads half a block of each of 8 lanes, at blocks[lane] + offset, and turns them so that w[t]
/// holds word t of the half of all lanes.
ASSAY_AVX2_INLINE void load_half(const std::uint8_t* const blocks[8], std::size_t offset,
                                 __m256i w[8]) {
  __m256i r[8];
  // Lanes i and i + 4 share a vector, one in each 128-bit half. Inserting from memory needs no
  // shuffle unit, of which there is one.
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned g = 0; g < 2; ++g) {
      const __m128i* low = reinterpret_cast<const __m128i*>(blocks[i] + offset + 16 * g);
      const __m128i* high = reinterpret_cast<const __m128i*>(blocks[i + 4] + offset + 16 * g);
      r[4 * g + i] = swap_bytes(_mm256_inserti128_si256(
          _mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1));
    }
  }
  for (unsigned g = 0; g < 8; g += 4) {
    const __m256i x0 = _mm256_unpacklo_epi32(r[g], r[g + 1]);
    const __m256i x1 = _mm256_unpackhi_epi32(r[g], r[g + 1]);
    const __m256i x2 = _mm256_unpacklo_epi32(r[g + 2], r[g + 3]);
    const __m256i x3 = _mm256_unpackhi_epi32(r[g + 2], r[g + 3]);
    w[g] = _mm256_unpacklo_epi64(x0, x2);
    w[g + 1] = _mm256_unpackhi_epi64(x0, x2);
    w[g + 2] = _mm256_unpacklo_epi64(x1, x3);
    w[g + 3] = _mm256_unpackhi_epi64(x1, x3);
  }
}

template <unsigned kStep>
ASSAY_AVX2_INLINE __m256i round_constant() {
  constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  return _mm256_set1_epi32(static_cast<int>(kConstants[kStep / 20]));
}

/// The mixing function of step kStep.
template <unsigned kStep>
ASSAY_AVX2_INLINE __m256i mix(__m256i b, __m256i c, __m256i d) {
  if constexpr (kStep < 20) {
    return _mm256_xor_si256(d, _mm256_and_si256(b, _mm256_xor_si256(c, d)));
  } else if constexpr (kStep >= 40 && kStep < 60) {
    // Two terms without a common bit.
    return _mm256_or_si256(_mm256_and_si256(b, c), _mm256_and_si256(d, _mm256_xor_si256(b, c)));
  } else {
    return _mm256_xor_si256(_mm256_xor_si256(b, c), d);
  }
}

/// Step kStep of the compression in 8 lanes, with message word `word`. v holds the working
/// variables, renamed from step to step instead of moved.
template <unsigned kStep>
ASSAY_AVX2_INLINE void step_with(__m256i v[5], __m256i word) {
  constexpr unsigned kA = (80 - kStep) % 5;
  __m256i& a = v[kA];
  __m256i& b = v[(kA + 1) % 5];
  __m256i& c = v[(kA + 2) % 5];
  __m256i& d = v[(kA + 3) % 5];
  __m256i& e = v[(kA + 4) % 5];
  const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(e, word), round_constant<kStep>());
  e = _mm256_add_epi32(_mm256_add_epi32(sum, mix<kStep>(b, c, d)), rotate<5>(a));
  b = rotate<30>(b);
}

/// As step_with; w is the ring of the last 16 message words, which lives in memory: there are 16
/// registers only.
template <unsigned kStep>
ASSAY_AVX2_INLINE void step(__m256i v[5], __m256i w[16]) {
  if constexpr (kStep >= 16) {
    const __m256i early = _mm256_xor_si256(w[kStep % 16], w[(kStep + 2) % 16]);
    const __m256i late = _mm256_xor_si256(w[(kStep + 8) % 16], w[(kStep + 13) % 16]);
    const __m256i sum = _mm256_xor_si256(early, late);
    w[kStep % 16] = _mm256_or_si256(_mm256_add_epi32(sum, sum), _mm256_srli_epi32(sum, 31));
  }
  step_with<kStep>(v, w[kStep % 16]);
}

}  // namespace assay::sha1::avx2

#endif  // ASSAY_SHA1_KERNELS_X86_64_AVX2_H_
