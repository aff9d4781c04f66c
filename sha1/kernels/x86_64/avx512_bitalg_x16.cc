// Hashing 16 lanes and judging them, with AVX-512 and VPSHUFBITQMB.
//
// VPSHUFBITQMB picks eight bits out of every 64-bit element of a vector, that is four bits of each
// of two lanes; 48 of them take all the bits that conditions read (collision/slices.h). Each leaves
// a 64-bit mask, which goes to memory without passing through a vector port. After eight rows the
// masks of one pick are a vector of 128 blocks x 4 bits, and a condition is one exclusive or.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx512.h"

#include <bit>
#include <cstring>
#include <utility>

#include "sha1/collision/slices.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/selectors.h"

#define ASSAY_BITALG __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg")))
#define ASSAY_BITALG_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg"), always_inline)) inline

// gcc 12 orders this much straight-line code badly for its generic processor: 540 cycles a row
// instead of 510. Both compilers take the attribute.
#define ASSAY_BITALG_TUNED \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg,tune=icelake-server")))

namespace assay::sha1 {
namespace {

using collision::condition_home;
using collision::ConditionList;
using collision::conditions_of;
using collision::home_slot;
using collision::kConditionCount;
using collision::kConditions;
using collision::kEarlyStep;
using collision::kLateStep;
using collision::kLogRows;
using collision::kPicks;
using collision::kVectorCount;
using collision::LaneLog;
using collision::Survivor;

constexpr std::size_t kPrefetchDistance = 512;

template <unsigned kPick>
ASSAY_BITALG_INLINE void take_pick(__m512i words, unsigned char* evidence) {
  const __mmask64 bits =
      _mm512_bitshuffle_epi64_mask(words, _mm512_load_si512(kSelectors[kPick].byte));
  _store_mask64(reinterpret_cast<__mmask64*>(evidence + kPick * kPickBytes), bits);
}

template <unsigned kFirst, std::size_t... kIndex>
ASSAY_BITALG_INLINE void take_picks(__m512i words, unsigned char* evidence,
                                    std::index_sequence<kIndex...>) {
  (take_pick<kFirst + kIndex>(words, evidence), ...);
}

// Stores the working variables before step kStep in their order.
template <unsigned kStep>
ASSAY_BITALG_INLINE void store_working(const __m512i v[5], std::uint32_t to[5][kMaxLanes]) {
  for (unsigned i = 0; i < 5; ++i) _mm512_store_si512(to[i], v[((80 - kStep) % 5 + i) % 5]);
}

template <unsigned kStep>
ASSAY_BITALG_INLINE void logged_step(__m512i v[5], __m512i w[16], LaneLog::Row& row,
                                     unsigned char* evidence) {
  if constexpr (kStep == kEarlyStep) store_working<kStep>(v, row.early);
  if constexpr (kStep == kLateStep) store_working<kStep>(v, row.late);
  avx512::step<kStep>(v, w);
  if constexpr (kStep >= collision::kFirstWord && kStep <= collision::kLastWord) {
    constexpr unsigned kFirst = kPicks.begin_of(kStep);
    constexpr unsigned kCount = kPicks.begin_of(kStep + 1) - kFirst;
    take_picks<kFirst>(w[kStep % 16], evidence, std::make_index_sequence<kCount>());
  }
}

template <std::size_t... kSteps>
ASSAY_BITALG_INLINE void all_steps(__m512i v[5], __m512i w[16], LaneLog::Row& row,
                                   unsigned char* evidence, std::index_sequence<kSteps...>) {
  (logged_step<kSteps>(v, w, row, evidence), ...);
}

// The bits of a pick, with `kFrom` shifted to `kTo`. What falls into other slots is not looked at.
template <unsigned kFrom, unsigned kTo>
ASSAY_BITALG_INLINE __m512i to_slot(__m512i bits) {
  if constexpr (kFrom > kTo) return _mm512_srli_epi64(bits, 2 * (kFrom - kTo));
  if constexpr (kFrom < kTo) return _mm512_slli_epi64(bits, 2 * (kTo - kFrom));
  return bits;
}

// The blocks that break a condition, in its home slot.
template <unsigned kIndex>
ASSAY_BITALG_INLINE __m512i broken(const unsigned char* evidence) {
  constexpr collision::Place kFirst = kPicks.first[kIndex];
  constexpr collision::Place kSecond = kPicks.second[kIndex];
  constexpr unsigned kHome = condition_home(kIndex);
  // Differs and should not: xor. Agrees and should not: its complement.
  constexpr int kTable = kConditions[kIndex].c == 0 ? 0x3c : 0xc3;
  __m512i first = _mm512_load_si512(evidence + kFirst.pick * kPickBytes);
  __m512i second = _mm512_load_si512(evidence + kSecond.pick * kPickBytes);
  if constexpr (kFirst.slot == kSecond.slot) {
    const __m512i x = _mm512_ternarylogic_epi64(first, second, second, kTable);
    return to_slot<kFirst.slot, kHome>(x);
  } else {
    first = to_slot<kFirst.slot, kHome>(first);
    second = to_slot<kSecond.slot, kHome>(second);
    return _mm512_ternarylogic_epi64(first, second, second, kTable);
  }
}

template <std::size_t... kIndex>
ASSAY_BITALG_INLINE void all_broken(const unsigned char* evidence, __m512i out[kConditionCount],
                                    std::index_sequence<kIndex...>) {
  ((out[kIndex] = broken<kIndex>(evidence)), ...);
}

// The blocks that break any condition of a vector: two more conditions at a time.
template <unsigned kVector, std::size_t... kPair>
ASSAY_BITALG_INLINE __m512i any_broken(const __m512i conditions[kConditionCount],
                                       std::index_sequence<kPair...>) {
  constexpr ConditionList kList = conditions_of(kVector);
  __m512i any = conditions[kList.index[0]];
  ((any = _mm512_ternarylogic_epi64(any, conditions[kList.index[1 + 2 * kPair]],
                                    conditions[kList.index[2 + 2 * kPair]], avx512::kOr3)),
   ...);
  if constexpr (kList.count % 2 == 0) {
    any = _mm512_or_si512(any, conditions[kList.index[kList.count - 1]]);
  }
  return any;
}

// The blocks for which a vector remains: to `out`, in bits 0 and 1 of each byte; and which of the
// eight rows have such blocks.
template <unsigned kVector>
ASSAY_BITALG_INLINE void remaining(const __m512i conditions[kConditionCount], std::uint64_t out[8],
                                   std::uint8_t& rows) {
  constexpr std::size_t kPairs = (conditions_of(kVector).count - 1) / 2;
  const __m512i any = any_broken<kVector>(conditions, std::make_index_sequence<kPairs>());
  const __m512i left =
      _mm512_andnot_si512(to_slot<home_slot(kVector), 0>(any), _mm512_set1_epi8(3));
  _mm512_store_si512(out, left);
  _store_mask8(&rows, _mm512_test_epi64_mask(left, left));
}

template <std::size_t... kVector>
ASSAY_BITALG_INLINE void all_remaining(const __m512i conditions[kConditionCount],
                                       std::uint64_t out[kVectorCount][8],
                                       std::uint8_t rows[kVectorCount],
                                       std::index_sequence<kVector...>) {
  (remaining<kVector>(conditions, out[kVector], rows[kVector]), ...);
}

}  // namespace

ASSAY_BITALG_TUNED void compress_lanes_logging_avx512_bitalg_x16(
    LaneState& state, const std::uint8_t* const blocks[kMaxLanes], std::size_t rows, LaneLog& log) {
  __m512i v[5];
  for (unsigned i = 0; i < 5; ++i) v[i] = _mm512_load_si512(state.word[i]);
  for (std::size_t offset = 0; offset < rows * kBlockSize; offset += kBlockSize) {
    LaneLog::Row& row = log.row[log.rows];
    unsigned char* evidence = log.evidence + 8 * log.rows;
    __m512i w[16];
    avx512::load_words(blocks, offset, w);
    for (unsigned lane = 0; lane < 16; ++lane) {
      _mm_prefetch(reinterpret_cast<const char*>(blocks[lane] + offset + kPrefetchDistance),
                   _MM_HINT_T0);
    }
    all_steps(v, w, row, evidence, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) {
      v[i] = _mm512_add_epi32(v[i], _mm512_load_si512(state.word[i]));
      _mm512_store_si512(state.word[i], v[i]);
      _mm512_store_si512(row.out[i], v[i]);
    }
    ++log.rows;
  }
}

ASSAY_BITALG unsigned judge_lanes_avx512_bitalg(const LaneLog& log, Survivor* survivors) {
  __m512i conditions[kConditionCount];
  all_broken(log.evidence, conditions, std::make_index_sequence<kConditionCount>());
  alignas(64) std::uint64_t left[kVectorCount][kLogRows];
  alignas(8) std::uint8_t rows_of[kVectorCount];
  all_remaining(conditions, left, rows_of, std::make_index_sequence<kVectorCount>());

  // Through memory: gcc would collect the bytes of rows_of in a vector register, one by one.
  __asm__ volatile("" ::: "memory");
  // Rows that are not logged have old evidence.
  const std::uint64_t logged = std::uint64_t{0x0101010101010101} * ((1U << log.rows) - 1);
  unsigned count = 0;
  for (unsigned eight = 0; eight < kVectorCount; eight += 8) {
    std::uint64_t rows = 0;
    std::memcpy(&rows, rows_of + eight, sizeof rows);
    for (rows &= logged; rows != 0; rows &= rows - 1) {
      const unsigned at = static_cast<unsigned>(std::countr_zero(rows));
      const unsigned vector = eight + at / 8;
      const unsigned row = at % 8;
      for (std::uint64_t blocks = left[vector][row]; blocks != 0; blocks &= blocks - 1) {
        const unsigned bit = static_cast<unsigned>(std::countr_zero(blocks));
        survivors[count++] = {static_cast<std::uint8_t>(row),
                              static_cast<std::uint8_t>(bit / 8 * 2 + bit % 8),
                              static_cast<std::uint8_t>(vector)};
      }
    }
  }
  return count;
}

}  // namespace assay::sha1

#endif
