// Hashing 16 lanes and judging them, with AVX-512 but without VPSHUFBITQMB.
//
// VPTESTMD takes one bit of all 16 lanes into a mask; 154 of them take all the bits that conditions
// read (collision/slices.h). Four rows fill a 64-bit word for each bit.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx512.h"

#include <cstring>
#include <utility>

#include "sha1/collision/slices.h"
#include "sha1/collision/survivors.h"
#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

using collision::kLogRows;
using collision::kSlices;
using collision::LaneLog;

constexpr std::size_t kPrefetchDistance = 512;

// The evidence: evidence[row / 4][bit][row % 4], 16 lanes each.
constexpr unsigned kRowsAtOnce = 4;
constexpr std::size_t kGroupBytes = kSlices.count * 8;
static_assert(kLogRows / kRowsAtOnce * kGroupBytes <= sizeof LaneLog::evidence);

template <unsigned kIndex>
ASSAY_AVX512_INLINE void take_bit(__m512i words, unsigned char* evidence) {
  constexpr unsigned kBit = kSlices.bits[kIndex].bit;
  const __mmask16 bits =
      _mm512_test_epi32_mask(words, _mm512_set1_epi32(static_cast<int>(1U << kBit)));
  _store_mask16(reinterpret_cast<__mmask16*>(evidence + kIndex * 8), bits);
}

template <unsigned kFirst, std::size_t... kIndex>
ASSAY_AVX512_INLINE void take_bits(__m512i words, unsigned char* evidence,
                                   std::index_sequence<kIndex...>) {
  (take_bit<kFirst + kIndex>(words, evidence), ...);
}

template <unsigned kStep>
ASSAY_AVX512_INLINE void logged_step(__m512i v[5], __m512i w[16], LaneLog::Row& row,
                                     unsigned char* evidence,
                                     const avx512::RoundConstants& constants) {
  avx512::log_working<kStep>(v, row);
  avx512::step<kStep>(v, w, constants);
  constexpr unsigned kWord = avx512::kExpandedAt<kStep>;
  if constexpr (kWord >= collision::kFirstWord && kWord <= collision::kLastWord) {
    constexpr unsigned kFirst = kSlices.begin_of(kWord);
    constexpr unsigned kCount = kSlices.begin_of(kWord + 1) - kFirst;
    take_bits<kFirst>(w[kWord % 16], evidence, std::make_index_sequence<kCount>());
  }
}

template <std::size_t... kSteps>
ASSAY_AVX512_INLINE void all_steps(__m512i v[5], __m512i w[16], LaneLog::Row& row,
                                   unsigned char* evidence, const avx512::RoundConstants& constants,
                                   std::index_sequence<kSteps...>) {
  (logged_step<kSteps>(v, w, row, evidence, constants), ...);
}

}  // namespace

ASSAY_AVX512 void compress_lanes_logging_avx512_x16(LaneState& state,
                                                    const std::uint8_t* const blocks[kMaxLanes],
                                                    std::size_t rows, LaneLog& log) {
  const avx512::RoundConstants constants = avx512::round_constants();
  __m512i v[5];
  for (unsigned i = 0; i < 5; ++i) v[i] = _mm512_load_si512(state.word[i]);
  for (std::size_t offset = 0; offset < rows * kBlockSize; offset += kBlockSize) {
    LaneLog::Row& row = log.row[log.rows];
    unsigned char* evidence =
        log.evidence + log.rows / kRowsAtOnce * kGroupBytes + log.rows % kRowsAtOnce * 2;
    __m512i w[16];
    avx512::load_words(blocks, offset, w);
    for (unsigned lane = 0; lane < 16; ++lane) {
      _mm_prefetch(reinterpret_cast<const char*>(blocks[lane] + offset + kPrefetchDistance),
                   _MM_HINT_T0);
    }
    all_steps(v, w, row, evidence, constants, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) {
      v[i] = _mm512_add_epi32(v[i], _mm512_load_si512(state.word[i]));
      _mm512_store_si512(state.word[i], v[i]);
      _mm512_store_si512(row.out[i], v[i]);
    }
    ++log.rows;
  }
}

unsigned judge_lanes_avx512(const LaneLog& log, collision::Survivor* survivors) {
  unsigned count = 0;
  for (unsigned row = 0; row < log.rows; row += kRowsAtOnce) {
    std::uint64_t slices[kSlices.count];
    std::memcpy(slices, log.evidence + row / kRowsAtOnce * kGroupBytes, sizeof slices);
    count += collision::collect_survivors(slices, row, log.rows, 16, survivors + count);
  }
  return count;
}

}  // namespace assay::sha1

#endif
