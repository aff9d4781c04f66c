#ifndef ASSAY_SHA1_KERNELS_X86_64_AVX512_H_
#define ASSAY_SHA1_KERNELS_X86_64_AVX512_H_

// gcc 12 warns about its own _mm512_undefined_epi32 (GCC bug 105593, fixed in 13) wherever the
// intrinsics are inlined; the including file is a kernel and contains nothing else.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

/// Pieces that the AVX-512 kernels share. The target attribute stands on every function, so that no
/// file is compiled with -m flags; ASSAY_AVX512_INLINE functions become part of their callers,
/// which must have the same target or more.

#define ASSAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define ASSAY_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"), always_inline)) inline

namespace assay::sha1::avx512 {

/// Truth tables for vpternlogd: bit (a << 2 | b << 1 | c) is the result.
inline constexpr int kChoose = 0xca;    // a ? b : c
inline constexpr int kXor3 = 0x96;      // a ^ b ^ c
inline constexpr int kMajority = 0xe8;  // at least two of a, b, c
inline constexpr int kOr3 = 0xfe;       // a | b | c

/// Turns the bytes of each big-endian word around.
ASSAY_AVX512_INLINE __m512i swap_bytes(__m512i words) {
  const __m512i order =
      _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  return _mm512_shuffle_epi8(words, order);
}

/// Reads one block of each of 16 lanes, at blocks[lane] + offset, and turns them so that w[t] holds
/// word t of all lanes.
ASSAY_AVX512_INLINE void load_words(const std::uint8_t* const blocks[16], std::size_t offset,
                                    __m512i w[16]) {
  __m512i r[16];
  // Four lanes whose numbers differ by 4 share a vector, one in each 128-bit quarter: quarter q of
  // r[4 * g + i] holds words 4g..4g+3 of lane 4q + i.
  for (unsigned i = 0; i < 4; ++i) {
    const __m512i a = _mm512_loadu_si512(blocks[i] + offset);
    const __m512i b = _mm512_loadu_si512(blocks[i + 4] + offset);
    const __m512i c = _mm512_loadu_si512(blocks[i + 8] + offset);
    const __m512i d = _mm512_loadu_si512(blocks[i + 12] + offset);
    const __m512i ab_low = _mm512_shuffle_i64x2(a, b, 0x44);   // a0 a1 b0 b1
    const __m512i ab_high = _mm512_shuffle_i64x2(a, b, 0xee);  // a2 a3 b2 b3
    const __m512i cd_low = _mm512_shuffle_i64x2(c, d, 0x44);
    const __m512i cd_high = _mm512_shuffle_i64x2(c, d, 0xee);
    r[i] = swap_bytes(_mm512_shuffle_i64x2(ab_low, cd_low, 0x88));  // a0 b0 c0 d0
    r[4 + i] = swap_bytes(_mm512_shuffle_i64x2(ab_low, cd_low, 0xdd));
    r[8 + i] = swap_bytes(_mm512_shuffle_i64x2(ab_high, cd_high, 0x88));
    r[12 + i] = swap_bytes(_mm512_shuffle_i64x2(ab_high, cd_high, 0xdd));
  }
  // In each quarter a 4 x 4 transposition.
  for (unsigned g = 0; g < 16; g += 4) {
    const __m512i x0 = _mm512_unpacklo_epi32(r[g], r[g + 1]);
    const __m512i x1 = _mm512_unpackhi_epi32(r[g], r[g + 1]);
    const __m512i x2 = _mm512_unpacklo_epi32(r[g + 2], r[g + 3]);
    const __m512i x3 = _mm512_unpackhi_epi32(r[g + 2], r[g + 3]);
    w[g] = _mm512_unpacklo_epi64(x0, x2);
    w[g + 1] = _mm512_unpackhi_epi64(x0, x2);
    w[g + 2] = _mm512_unpacklo_epi64(x1, x3);
    w[g + 3] = _mm512_unpackhi_epi64(x1, x3);
  }
}

/// Step kStep of the compression in 16 lanes, with message word `word`. v holds the working
/// variables, renamed from step to step instead of moved.
///
/// b is rotated into a new register first; then the old b is dead and the mixing function may
/// overwrite it, so that no register is copied.
template <unsigned kStep>
ASSAY_AVX512_INLINE void step_with(__m512i v[5], __m512i word) {
  constexpr unsigned kA = (80 - kStep) % 5;
  constexpr unsigned kB = (kA + 1) % 5;
  constexpr unsigned kC = (kA + 2) % 5;
  constexpr unsigned kD = (kA + 3) % 5;
  constexpr unsigned kE = (kA + 4) % 5;
  constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  constexpr int kMix = kStep < 20 ? kChoose : kStep >= 40 && kStep < 60 ? kMajority : kXor3;
  const __m512i rotated_b = _mm512_rol_epi32(v[kB], 30);
  const __m512i mixed = _mm512_ternarylogic_epi32(v[kB], v[kC], v[kD], kMix);
  const __m512i constant = _mm512_set1_epi32(static_cast<int>(kConstants[kStep / 20]));
  __m512i sum = _mm512_add_epi32(_mm512_add_epi32(v[kE], constant), word);
  sum = _mm512_add_epi32(sum, mixed);
  v[kE] = _mm512_add_epi32(sum, _mm512_rol_epi32(v[kA], 5));
  v[kB] = rotated_b;
}

/// As step_with; w is the ring of the last 16 message words.
template <unsigned kStep>
ASSAY_AVX512_INLINE void step(__m512i v[5], __m512i w[16]) {
  if constexpr (kStep >= 16) {
    const __m512i x =
        _mm512_ternarylogic_epi32(w[kStep % 16], w[(kStep + 2) % 16], w[(kStep + 8) % 16], kXor3);
    w[kStep % 16] = _mm512_rol_epi32(_mm512_xor_si512(x, w[(kStep + 13) % 16]), 1);
  }
  step_with<kStep>(v, w[kStep % 16]);
}

}  // namespace assay::sha1::avx512

#endif  // ASSAY_SHA1_KERNELS_X86_64_AVX512_H_
