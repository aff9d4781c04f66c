// Hashing 8 lanes, judging them and recompressing, with AVX2.
//
// VMOVMSKPS takes the highest bit of all 8 lanes into a byte, so each bit that conditions read
// (collision/slices.h) costs a shift, a VMOVMSKPS and a store. Eight rows fill a 64-bit word for
// each bit.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx2.h"

#include <cstring>
#include <utility>

#include "sha1/collision/slices.h"
#include "sha1/collision/survivors.h"
#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

using collision::kEarlyStep;
using collision::kLateStep;
using collision::kLogRows;
using collision::kSlices;
using collision::LaneLog;
using collision::Suspects;

constexpr std::size_t kPrefetchDistance = 512;

// The evidence: evidence[bit][row], 8 lanes each.
static_assert(kLogRows == 8 && kSlices.count * 8 <= sizeof LaneLog::evidence);

ASSAY_AVX2_INLINE __m256i load(const std::uint32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

ASSAY_AVX2_INLINE void store(std::uint32_t* to, __m256i value) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
}

template <unsigned kIndex>
ASSAY_AVX2_INLINE void take_bit(__m256i words, unsigned char* evidence) {
  const __m256i top = _mm256_slli_epi32(words, 31 - kSlices.bits[kIndex].bit);
  evidence[kIndex * 8] = static_cast<unsigned char>(_mm256_movemask_ps(_mm256_castsi256_ps(top)));
}

template <unsigned kFirst, std::size_t... kIndex>
ASSAY_AVX2_INLINE void take_bits(__m256i words, unsigned char* evidence,
                                 std::index_sequence<kIndex...>) {
  (take_bit<kFirst + kIndex>(words, evidence), ...);
}

template <unsigned kStep>
ASSAY_AVX2_INLINE void store_working(const __m256i v[5], std::uint32_t to[5][kMaxLanes]) {
  for (unsigned i = 0; i < 5; ++i) store(to[i], v[((80 - kStep) % 5 + i) % 5]);
}

template <unsigned kStep>
ASSAY_AVX2_INLINE void logged_step(__m256i v[5], __m256i w[16], LaneLog::Row& row,
                                   unsigned char* evidence) {
  if constexpr (kStep == kEarlyStep) store_working<kStep>(v, row.early);
  if constexpr (kStep == kLateStep) store_working<kStep>(v, row.late);
  avx2::step<kStep>(v, w);
  if constexpr (kStep >= collision::kFirstWord && kStep <= collision::kLastWord) {
    constexpr unsigned kFirst = kSlices.begin_of(kStep);
    constexpr unsigned kCount = kSlices.begin_of(kStep + 1) - kFirst;
    take_bits<kFirst>(w[kStep % 16], evidence, std::make_index_sequence<kCount>());
  }
}

template <std::size_t... kSteps>
ASSAY_AVX2_INLINE void all_steps(__m256i v[5], __m256i w[16], LaneLog::Row& row,
                                 unsigned char* evidence, std::index_sequence<kSteps...>) {
  (logged_step<kSteps>(v, w, row, evidence), ...);
}

// v[(kRenamed + i) % 5] is working variable i before step kStep.
template <unsigned kStep>
inline constexpr unsigned kRenamed = (80 - kStep) % 5;

// Undoes step kStep: from the working variables after it to those before it.
template <unsigned kStep>
ASSAY_AVX2_INLINE void step_back(__m256i v[5], const __m256i w[80]) {
  constexpr unsigned kA = kRenamed<kStep>;
  __m256i& a = v[kA];
  __m256i& b = v[(kA + 1) % 5];
  __m256i& c = v[(kA + 2) % 5];
  __m256i& d = v[(kA + 3) % 5];
  __m256i& e = v[(kA + 4) % 5];
  b = avx2::rotate<2>(b);
  const __m256i known = _mm256_add_epi32(avx2::rotate<5>(a),
                                         _mm256_add_epi32(avx2::round_constant<kStep>(), w[kStep]));
  e = _mm256_sub_epi32(_mm256_sub_epi32(e, known), avx2::mix<kStep>(b, c, d));
}

template <unsigned kFrom, std::size_t... kIndex>
ASSAY_AVX2_INLINE void steps_forward(__m256i v[5], const __m256i w[80],
                                     std::index_sequence<kIndex...>) {
  (avx2::step_with<kFrom + kIndex>(v, w[kFrom + kIndex]), ...);
}

template <unsigned kFrom, std::size_t... kIndex>
ASSAY_AVX2_INLINE void steps_back(__m256i v[5], const __m256i w[80],
                                  std::index_sequence<kIndex...>) {
  (step_back<kFrom - 1 - kIndex>(v, w), ...);
}

// Replaces the lanes of v, which are before step kStep, that `lanes` selects.
template <unsigned kStep>
ASSAY_AVX2_INLINE void enter(__m256i v[5], __m256i lanes, const Suspects& suspects,
                             unsigned first) {
  for (unsigned i = 0; i < 5; ++i) {
    __m256i& to = v[(kRenamed<kStep> + i) % 5];
    to = _mm256_blendv_epi8(to, load(suspects.state[i] + first), lanes);
  }
}

// Recompresses the suspects first to first + 7.
__attribute__((target("avx2"), noinline)) std::uint32_t recompress_eight(const Suspects& suspects,
                                                                         unsigned first) {
  const std::uint8_t* twins[8];
  for (unsigned i = 0; i < 8; ++i) twins[i] = suspects.twin[first + i];
  __m256i w[80];
  avx2::load_half(twins, 0, w);
  avx2::load_half(twins, kBlockSize / 2, w + 8);
  for (unsigned t = 16; t < 80; ++t) {
    const __m256i early = _mm256_xor_si256(w[t - 16], w[t - 14]);
    const __m256i late = _mm256_xor_si256(w[t - 8], w[t - 3]);
    w[t] = avx2::rotate<1>(_mm256_xor_si256(early, late));
  }
  // Early lanes start before step 58, late ones join at 65; the steps that others do until then are
  // thrown away.
  const __m256i bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  const __m256i flags = _mm256_set1_epi32(static_cast<int>(suspects.late >> first));
  const __m256i late = _mm256_cmpeq_epi32(_mm256_and_si256(flags, bits), bits);
  const __m256i early = _mm256_xor_si256(late, _mm256_set1_epi32(-1));
  __m256i out[5];
  for (__m256i& variable : out) variable = _mm256_setzero_si256();
  enter<kEarlyStep>(out, early, suspects, first);
  steps_forward<kEarlyStep>(out, w, std::make_index_sequence<kLateStep - kEarlyStep>());
  enter<kLateStep>(out, late, suspects, first);
  steps_forward<kLateStep>(out, w, std::make_index_sequence<80 - kLateStep>());

  __m256i in[5];
  for (__m256i& variable : in) variable = _mm256_setzero_si256();
  enter<kLateStep>(in, late, suspects, first);
  steps_back<kLateStep>(in, w, std::make_index_sequence<kLateStep - kEarlyStep>());
  enter<kEarlyStep>(in, early, suspects, first);
  steps_back<kEarlyStep>(in, w, std::make_index_sequence<kEarlyStep>());

  __m256i equal = _mm256_set1_epi32(-1);
  for (unsigned i = 0; i < 5; ++i) {
    equal = _mm256_and_si256(
        equal, _mm256_cmpeq_epi32(_mm256_add_epi32(in[i], out[i]), load(suspects.out[i] + first)));
  }
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
}

}  // namespace

ASSAY_AVX2 void compress_lanes_logging_avx2_x8(LaneState& state,
                                               const std::uint8_t* const blocks[kMaxLanes],
                                               std::size_t rows, LaneLog& log) {
  for (std::size_t offset = 0; offset < rows * kBlockSize; offset += kBlockSize) {
    LaneLog::Row& row = log.row[log.rows];
    unsigned char* evidence = log.evidence + log.rows;
    __m256i w[16];
    avx2::load_half(blocks, offset, w);
    avx2::load_half(blocks, offset + kBlockSize / 2, w + 8);
    __m256i v[5];
    for (unsigned i = 0; i < 5; ++i) v[i] = load(state.word[i]);
    for (unsigned lane = 0; lane < 8; ++lane) {
      _mm_prefetch(reinterpret_cast<const char*>(blocks[lane] + offset + kPrefetchDistance),
                   _MM_HINT_T0);
    }
    all_steps(v, w, row, evidence, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) {
      const __m256i sum = _mm256_add_epi32(v[i], load(state.word[i]));
      store(state.word[i], sum);
      store(row.out[i], sum);
    }
    ++log.rows;
  }
}

unsigned judge_lanes_avx2(const LaneLog& log, collision::Survivor* survivors) {
  std::uint64_t slices[kSlices.count];
  std::memcpy(slices, log.evidence, sizeof slices);
  return collision::collect_survivors(slices, 0, log.rows, 8, survivors);
}

std::uint32_t recompress_avx2(const Suspects& suspects) {
  std::uint32_t hits = recompress_eight(suspects, 0);
  if (suspects.count > 8) hits |= recompress_eight(suspects, 8) << 8;
  return hits & ((std::uint32_t{1} << suspects.count) - 1);
}

}  // namespace assay::sha1

#endif
