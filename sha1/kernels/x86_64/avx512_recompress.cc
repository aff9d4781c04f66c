// Recompression of 16 suspects in the 16 lanes of AVX-512 vectors.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx512.h"

#include <utility>

#include "sha1/collision/judge.h"
#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

using collision::kEarlyStep;
using collision::kLateStep;
using collision::Suspects;

// v[(kRenamed + i) % 5] is working variable i before step kStep.
template <unsigned kStep>
inline constexpr unsigned kRenamed = (80 - kStep) % 5;

// Undoes step kStep: from the working variables after it to those before it.
template <unsigned kStep>
ASSAY_AVX512_INLINE void step_back(__m512i v[5], const __m512i w[80]) {
  constexpr unsigned kA = kRenamed<kStep>;
  constexpr unsigned kB = (kA + 1) % 5;
  constexpr unsigned kC = (kA + 2) % 5;
  constexpr unsigned kD = (kA + 3) % 5;
  constexpr unsigned kE = (kA + 4) % 5;
  constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  v[kB] = _mm512_ror_epi32(v[kB], 30);
  const __m512i constant = _mm512_set1_epi32(static_cast<int>(kConstants[kStep / 20]));
  const __m512i mixed = _mm512_ternarylogic_epi32(v[kB], v[kC], v[kD], avx512::mix_table(kStep));
  const __m512i known =
      _mm512_add_epi32(_mm512_rol_epi32(v[kA], 5), _mm512_add_epi32(constant, w[kStep]));
  v[kE] = _mm512_sub_epi32(_mm512_sub_epi32(v[kE], known), mixed);
}

template <unsigned kStep>
ASSAY_AVX512_INLINE void expand(__m512i w[80]) {
  const __m512i x =
      _mm512_ternarylogic_epi32(w[kStep - 8], w[kStep - 14], w[kStep - 16], avx512::kXor3);
  w[kStep] = _mm512_rol_epi32(_mm512_xor_si512(x, w[kStep - 3]), 1);
}

template <std::size_t... kIndex>
ASSAY_AVX512_INLINE void expand_all(__m512i w[80], std::index_sequence<kIndex...>) {
  (expand<16 + kIndex>(w), ...);
}

template <unsigned kFrom, std::size_t... kIndex>
ASSAY_AVX512_INLINE void steps_forward(__m512i v[5], const __m512i w[80],
                                       const avx512::RoundConstants& constants,
                                       std::index_sequence<kIndex...>) {
  (avx512::step_with<kFrom + kIndex>(v, w[kFrom + kIndex], constants), ...);
}

template <unsigned kFrom, std::size_t... kIndex>
ASSAY_AVX512_INLINE void steps_back(__m512i v[5], const __m512i w[80],
                                    std::index_sequence<kIndex...>) {
  (step_back<kFrom - 1 - kIndex>(v, w), ...);
}

// Replaces lanes of v, which are before step kStep, by the given states.
template <unsigned kStep>
ASSAY_AVX512_INLINE void enter(__m512i v[5], __mmask16 lanes, const Suspects& suspects) {
  for (unsigned i = 0; i < 5; ++i) {
    __m512i& to = v[(kRenamed<kStep> + i) % 5];
    to = _mm512_mask_load_epi32(to, lanes, suspects.state[i]);
  }
}

}  // namespace

ASSAY_AVX512 std::uint32_t recompress_avx512(const Suspects& suspects) {
  const std::uint8_t* twins[16];
  for (unsigned i = 0; i < 16; ++i) twins[i] = suspects.twin[i];
  __m512i w[80];
  avx512::load_words(twins, 0, w);
  expand_all(w, std::make_index_sequence<64>());
  // Early lanes start before step 58, late ones join at 65; the steps that others do until then are
  // thrown away.
  const __mmask16 late = static_cast<__mmask16>(suspects.late);
  const __mmask16 early = static_cast<__mmask16>(~suspects.late);
  const avx512::RoundConstants constants = avx512::round_constants();
  __m512i out[5];
  for (__m512i& variable : out) variable = _mm512_setzero_si512();
  enter<kEarlyStep>(out, early, suspects);
  steps_forward<kEarlyStep>(out, w, constants, std::make_index_sequence<kLateStep - kEarlyStep>());
  enter<kLateStep>(out, late, suspects);
  steps_forward<kLateStep>(out, w, constants, std::make_index_sequence<80 - kLateStep>());

  __m512i in[5];
  for (__m512i& variable : in) variable = _mm512_setzero_si512();
  enter<kLateStep>(in, late, suspects);
  steps_back<kLateStep>(in, w, std::make_index_sequence<kLateStep - kEarlyStep>());
  enter<kEarlyStep>(in, early, suspects);
  steps_back<kEarlyStep>(in, w, std::make_index_sequence<kEarlyStep>());

  std::uint32_t hits = (std::uint32_t{1} << suspects.count) - 1;
  for (unsigned i = 0; i < 5; ++i) {
    hits &= _mm512_cmpeq_epi32_mask(_mm512_add_epi32(in[i], out[i]),
                                    _mm512_loadu_si512(suspects.out[i]));
  }
  return hits;
}

}  // namespace assay::sha1

#endif
