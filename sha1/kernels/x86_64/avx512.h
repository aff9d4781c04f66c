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

#include "sha1/collision/judge.h"

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

/// 32 bytes at `low` and 32 at `high`. The second half is inserted from memory, which either of the
/// two vector ports can do; a shuffle of two registers only one.
ASSAY_AVX512_INLINE __m512i load_halves(const std::uint8_t* low, const std::uint8_t* high) {
  const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
  const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
  return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

/// Reads one block of each of 16 lanes, at blocks[lane] + offset, and turns them so that w[t] holds
/// word t of all lanes.
ASSAY_AVX512_INLINE void load_words(const std::uint8_t* const blocks[16], std::size_t offset,
                                    __m512i w[16]) {
  __m512i r[16];
  // Four lanes whose numbers differ by 4 share a vector, one in each 128-bit quarter: quarter q of
  // r[4 * g + i] holds words 4g..4g+3 of lane 4q + i.
  for (unsigned half = 0; half < 2; ++half) {
    const std::size_t at = offset + 32 * half;
    for (unsigned i = 0; i < 4; ++i) {
      const __m512i ab = load_halves(blocks[i] + at, blocks[i + 4] + at);       // a0 a1 b0 b1
      const __m512i cd = load_halves(blocks[i + 8] + at, blocks[i + 12] + at);  // c0 c1 d0 d1
      r[8 * half + i] = swap_bytes(_mm512_shuffle_i64x2(ab, cd, 0x88));         // a0 b0 c0 d0
      r[8 * half + 4 + i] = swap_bytes(_mm512_shuffle_i64x2(ab, cd, 0xdd));     // a1 b1 c1 d1
    }
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

// The steps are made of single instructions in a fixed order. Each of the two vector ports does one
// a cycle, rotations go to the first only, and which port another one takes is decided long before
// it is run; so its neighbours matter: compilers' own orders are 3 to 5 % slower.

template <int kBits>
ASSAY_AVX512_INLINE void rotate(__m512i& to, __m512i from) {
  __asm__ volatile("vprold %2, %1, %0" : "=v"(to) : "v"(from), "i"(kBits));
}

ASSAY_AVX512_INLINE void add(__m512i& to, __m512i what) {
  __asm__ volatile("vpaddd %1, %0, %0" : "+v"(to) : "v"(what));
}

ASSAY_AVX512_INLINE void exclusive_or(__m512i& to, __m512i what) {
  __asm__ volatile("vpxord %1, %0, %0" : "+v"(to) : "v"(what));
}

/// `to`, b and c by a truth table, in place of `to`.
template <int kTable>
ASSAY_AVX512_INLINE void mix(__m512i& to, __m512i b, __m512i c) {
  __asm__ volatile("vpternlogd %3, %2, %1, %0" : "+v"(to) : "v"(b), "v"(c), "i"(kTable));
}

/// The constants of the four phases, in every lane.
struct RoundConstants {
  __m512i of_phase[4];
};

ASSAY_AVX512_INLINE RoundConstants round_constants() {
  constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  RoundConstants constants;
  for (unsigned phase = 0; phase < 4; ++phase) {
    constants.of_phase[phase] = _mm512_set1_epi32(static_cast<int>(kConstants[phase]));
    // Kept in registers: made anew, or read from memory by the addition, they would cost 4 %.
    __asm__ volatile("" : "+v"(constants.of_phase[phase]));
  }
  return constants;
}

/// The mixing function of a step, of b, c and d.
constexpr int mix_table(unsigned step) {
  return step < 20 ? kChoose : step >= 40 && step < 60 ? kMajority : kXor3;
}

/// Step kStep of the compression in 16 lanes, with message word `word`. v holds the working
/// variables, renamed from step to step instead of moved.
///
/// b is rotated into a new register first; then the old b is dead and the mixing function may
/// overwrite it, so that no register is copied.
template <unsigned kStep>
ASSAY_AVX512_INLINE void step_with(__m512i v[5], __m512i word, const RoundConstants& constants) {
  constexpr unsigned kA = (80 - kStep) % 5;
  constexpr unsigned kB = (kA + 1) % 5;
  constexpr unsigned kC = (kA + 2) % 5;
  constexpr unsigned kD = (kA + 3) % 5;
  constexpr unsigned kE = (kA + 4) % 5;
  __m512i rotated_b;
  __m512i rotated_a;
  rotate<30>(rotated_b, v[kB]);
  mix<mix_table(kStep)>(v[kB], v[kC], v[kD]);
  add(v[kE], constants.of_phase[kStep / 20]);
  add(v[kE], word);
  add(v[kE], v[kB]);
  rotate<5>(rotated_a, v[kA]);
  add(v[kE], rotated_a);
  v[kB] = rotated_b;
}

/// Word kWord, 16 or more, of the expanded message, in place of the one 16 before.
template <unsigned kWord>
ASSAY_AVX512_INLINE void expand(__m512i w[16]) {
  __m512i& word = w[kWord % 16];
  mix<kXor3>(word, w[(kWord + 2) % 16], w[(kWord + 8) % 16]);
  exclusive_or(word, w[(kWord + 13) % 16]);
  rotate<1>(word, word);
}

/// The word that `step` makes, so that it is there when its own step needs it.
template <unsigned kStep>
inline constexpr unsigned kExpandedAt = kStep + 3;

/// As step_with, and makes the word kExpandedAt<kStep>; w is the ring of the last 16 words.
template <unsigned kStep>
ASSAY_AVX512_INLINE void step(__m512i v[5], __m512i w[16], const RoundConstants& constants) {
  step_with<kStep>(v, w[kStep % 16], constants);
  if constexpr (kExpandedAt<kStep> >= 16 && kExpandedAt<kStep> < 80) expand<kExpandedAt<kStep>>(w);
}

/// Before step kStep: logs the working variables, in their order, where recompression starts.
template <unsigned kStep>
ASSAY_AVX512_INLINE void log_working(const __m512i v[5], collision::LaneLog::Row& row) {
  constexpr unsigned kA = (80 - kStep) % 5;
  for (unsigned i = 0; i < 5; ++i) {
    if constexpr (kStep == collision::kEarlyStep) _mm512_store_si512(row.early[i], v[(kA + i) % 5]);
    if constexpr (kStep == collision::kLateStep) _mm512_store_si512(row.late[i], v[(kA + i) % 5]);
  }
}

}  // namespace assay::sha1::avx512

#endif  // ASSAY_SHA1_KERNELS_X86_64_AVX512_H_
