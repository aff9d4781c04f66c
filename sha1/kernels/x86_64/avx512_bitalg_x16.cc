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

// The two bits of a condition, in its home slot or, when they are in the same one, in that.
struct Pair {
  __m512i first;
  __m512i second;
};

template <unsigned kIndex>
ASSAY_BITALG_INLINE Pair load_pair(const unsigned char* evidence) {
  constexpr collision::Place kFirst = kPicks.first[kIndex];
  constexpr collision::Place kSecond = kPicks.second[kIndex];
  constexpr unsigned kHome = condition_home(kIndex);
  const __m512i first = _mm512_load_si512(evidence + kFirst.pick * kPickBytes);
  const __m512i second = _mm512_load_si512(evidence + kSecond.pick * kPickBytes);
  if constexpr (kFirst.slot == kSecond.slot) return {first, second};
  return {to_slot<kFirst.slot, kHome>(first), to_slot<kSecond.slot, kHome>(second)};
}

// The blocks that break a condition, in its home slot.
template <unsigned kIndex>
ASSAY_BITALG_INLINE __m512i broken(const unsigned char* evidence) {
  constexpr collision::Place kFirst = kPicks.first[kIndex];
  constexpr bool kSameSlot = kFirst.slot == kPicks.second[kIndex].slot;
  // Differs and should not: xor. Agrees and should not: its complement.
  constexpr int kTable = kConditions[kIndex].c == 0 ? 0x3c : 0xc3;
  const Pair pair = load_pair<kIndex>(evidence);
  const __m512i x = _mm512_ternarylogic_epi64(pair.first, pair.second, pair.second, kTable);
  return kSameSlot ? to_slot<kFirst.slot, condition_home(kIndex)>(x) : x;
}

// Adds the blocks that break a condition, which takes no more than the exclusive or alone.
template <unsigned kIndex>
ASSAY_BITALG_INLINE void add_broken(const unsigned char* evidence, __m512i& any) {
  constexpr collision::Place kFirst = kPicks.first[kIndex];
  if constexpr (kFirst.slot == kPicks.second[kIndex].slot &&
                kFirst.slot != condition_home(kIndex)) {
    any = _mm512_or_si512(any, broken<kIndex>(evidence));
  } else {
    constexpr int kTable =
        kConditions[kIndex].c == 0 ? 0xf6 : 0xf9;  // any | (a ^ b), any | ~(a ^ b)
    const Pair pair = load_pair<kIndex>(evidence);
    any = _mm512_ternarylogic_epi64(any, pair.first, pair.second, kTable);
  }
}

// Whether more than one vector has a condition: then it is tested once for all of them.
constexpr bool is_shared(unsigned condition) {
  return std::popcount(kConditions[condition].vectors) > 1;
}

// The conditions of a vector: the shared ones, then its own.
struct Conditions {
  unsigned shared = 0;
  unsigned count = 0;
  std::uint8_t index[kConditionCount] = {};
};

constexpr Conditions conditions_in_order(unsigned vector) {
  Conditions list;
  for (const bool shared : {true, false}) {
    const ConditionList all = conditions_of(vector);
    for (unsigned i = 0; i < all.count; ++i) {
      if (is_shared(all.index[i]) == shared) list.index[list.count++] = all.index[i];
    }
    if (shared) list.shared = list.count;
  }
  return list;
}

template <unsigned kIndex>
ASSAY_BITALG_INLINE void test_shared(const unsigned char* evidence, __m512i out[kConditionCount]) {
  if constexpr (is_shared(kIndex)) out[kIndex] = broken<kIndex>(evidence);
}

template <std::size_t... kIndex>
ASSAY_BITALG_INLINE void test_all_shared(const unsigned char* evidence,
                                         __m512i out[kConditionCount],
                                         std::index_sequence<kIndex...>) {
  (test_shared<kIndex>(evidence, out), ...);
}

// The blocks that break any condition of a vector: of the shared ones two more at a time.
template <unsigned kVector, std::size_t... kPair, std::size_t... kOwn>
ASSAY_BITALG_INLINE __m512i any_broken([[maybe_unused]] const unsigned char* evidence,
                                       const __m512i shared[kConditionCount],
                                       std::index_sequence<kPair...>,
                                       std::index_sequence<kOwn...>) {
  constexpr Conditions kList = conditions_in_order(kVector);
  __m512i any = shared[kList.index[0]];
  ((any = _mm512_ternarylogic_epi64(any, shared[kList.index[1 + 2 * kPair]],
                                    shared[kList.index[2 + 2 * kPair]], avx512::kOr3)),
   ...);
  if constexpr (kList.shared % 2 == 0) {
    any = _mm512_or_si512(any, shared[kList.index[kList.shared - 1]]);
  }
  (add_broken<kList.index[kList.shared + kOwn]>(evidence, any), ...);
  return any;
}

// The blocks for which a vector remains: to `out`, in bits 0 and 1 of each byte; and which of the
// eight rows have such blocks.
template <unsigned kVector>
ASSAY_BITALG_INLINE void remaining(const unsigned char* evidence,
                                   const __m512i shared[kConditionCount], std::uint64_t out[8],
                                   std::uint8_t& rows) {
  constexpr Conditions kList = conditions_in_order(kVector);
  const __m512i any =
      any_broken<kVector>(evidence, shared, std::make_index_sequence<(kList.shared - 1) / 2>(),
                          std::make_index_sequence<kList.count - kList.shared>());
  const __m512i left =
      _mm512_andnot_si512(to_slot<home_slot(kVector), 0>(any), _mm512_set1_epi8(3));
  _mm512_store_si512(out, left);
  _store_mask8(&rows, _mm512_test_epi64_mask(left, left));
}

template <std::size_t... kVector>
ASSAY_BITALG_INLINE void all_remaining(const unsigned char* evidence,
                                       const __m512i shared[kConditionCount],
                                       std::uint64_t out[kVectorCount][8],
                                       std::uint8_t rows[kVectorCount],
                                       std::index_sequence<kVector...>) {
  (remaining<kVector>(evidence, shared, out[kVector], rows[kVector]), ...);
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
  __m512i shared[kConditionCount];
  test_all_shared(log.evidence, shared, std::make_index_sequence<kConditionCount>());
  alignas(64) std::uint64_t left[kVectorCount][kLogRows];
  alignas(8) std::uint8_t rows_of[kVectorCount];
  all_remaining(log.evidence, shared, left, rows_of, std::make_index_sequence<kVectorCount>());

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
