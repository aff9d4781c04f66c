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

/// Step T of the compression in 8 lanes. v holds the working variables, renamed from step to step
/// instead of moved; w is the ring of the last 16 message words, which lives in memory: there are
/// 16 registers only.
template <unsigned kStep>
ASSAY_AVX2_INLINE void step(__m256i v[5], __m256i w[16]) {
  constexpr unsigned kA = (80 - kStep) % 5;
  __m256i& a = v[kA];
  __m256i& b = v[(kA + 1) % 5];
  __m256i& c = v[(kA + 2) % 5];
  __m256i& d = v[(kA + 3) % 5];
  __m256i& e = v[(kA + 4) % 5];
  constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  if constexpr (kStep >= 16) {
    const __m256i early = _mm256_xor_si256(w[kStep % 16], w[(kStep + 2) % 16]);
    const __m256i late = _mm256_xor_si256(w[(kStep + 8) % 16], w[(kStep + 13) % 16]);
    const __m256i sum = _mm256_xor_si256(early, late);
    w[kStep % 16] = _mm256_or_si256(_mm256_add_epi32(sum, sum), _mm256_srli_epi32(sum, 31));
  }
  const __m256i constant = _mm256_set1_epi32(static_cast<int>(kConstants[kStep / 20]));
  __m256i sum = _mm256_add_epi32(_mm256_add_epi32(e, w[kStep % 16]), constant);
  if constexpr (kStep < 20) {
    const __m256i x = _mm256_and_si256(b, _mm256_xor_si256(c, d));
    sum = _mm256_add_epi32(sum, _mm256_xor_si256(d, x));
  } else if constexpr (kStep >= 40 && kStep < 60) {
    // Two terms without a common bit, so that their sum is their union.
    sum = _mm256_add_epi32(sum, _mm256_and_si256(b, c));
    sum = _mm256_add_epi32(sum, _mm256_and_si256(d, _mm256_xor_si256(b, c)));
  } else {
    sum = _mm256_add_epi32(sum, _mm256_xor_si256(_mm256_xor_si256(b, c), d));
  }
  e = _mm256_add_epi32(sum, rotate<5>(a));
  b = rotate<30>(b);
}

}  // namespace assay::sha1::avx2

#endif  // ASSAY_SHA1_KERNELS_X86_64_AVX2_H_
