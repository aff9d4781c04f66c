// Hashing 16 lanes and judging them, with AVX-512 and VPSHUFBITQMB.
//
// VPSHUFBITQMB picks eight bits out of every 64-bit element of a vector, that is four bits of each
// of two lanes; 48 of them take all the bits that conditions read (collision/slices.h). Each leaves
// a 64-bit mask, which goes to memory without passing through a vector port. After eight rows the
// masks of one pick are a vector of 128 blocks x 4 bits, and a condition is one exclusive or.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx512.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "sha1/collision/slices.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/bitalg_judge.h"
#include "sha1/kernels/x86_64/selectors.h"

#define ASSAY_BITALG __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg")))
#define ASSAY_BITALG_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg"), always_inline)) inline

namespace assay::sha1 {
namespace {

using bitalg::Excluded;
using collision::condition_home;
using collision::home_slot;
using collision::kConditionCount;
using collision::kConditions;
using collision::kLogRows;
using collision::kPicks;
using collision::kVectorCount;
using collision::LaneLog;
using collision::Survivor;
using collision::VectorSet;

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

template <unsigned kStep>
ASSAY_BITALG_INLINE void logged_step(__m512i v[5], __m512i w[16], LaneLog::Row& row,
                                     unsigned char* evidence,
                                     const avx512::RoundConstants& constants) {
  avx512::log_working<kStep>(v, row);
  avx512::step<kStep>(v, w, constants);
  constexpr unsigned kWord = avx512::kExpandedAt<kStep>;
  if constexpr (kWord >= collision::kFirstWord && kWord <= collision::kLastWord) {
    constexpr unsigned kFirst = kPicks.begin_of(kWord);
    constexpr unsigned kCount = kPicks.begin_of(kWord + 1) - kFirst;
    take_picks<kFirst>(w[kWord % 16], evidence, std::make_index_sequence<kCount>());
  }
}

template <std::size_t... kSteps>
ASSAY_BITALG_INLINE void all_steps(__m512i v[5], __m512i w[16], LaneLog::Row& row,
                                   unsigned char* evidence, const avx512::RoundConstants& constants,
                                   std::index_sequence<kSteps...>) {
  (logged_step<kSteps>(v, w, row, evidence, constants), ...);
}

// The bits of a pick, with `kFrom` shifted to `kTo`. What falls into other slots is not looked at.
template <unsigned kFrom, unsigned kTo>
ASSAY_BITALG_INLINE __m512i to_slot(__m512i bits) {
  if constexpr (kFrom > kTo) return _mm512_srli_epi64(bits, 2 * (kFrom - kTo));
  if constexpr (kFrom < kTo) return _mm512_slli_epi64(bits, 2 * (kTo - kFrom));
  return bits;
}

// The bits, of each byte, that are blocks in a home slot; repeated.
constexpr std::uint64_t slot_bits(unsigned slot) {
  return std::uint64_t{0x0303030303030303} << 2 * slot;
}

// The order is kept: a compiler that mixes conditions needs more registers than there are, and what
// it stores meanwhile costs more than it gains.
template <bool kWanted, int kTable>
ASSAY_BITALG_INLINE void add_to(__m512i& any, __m512i first, __m512i second) {
  if constexpr (kWanted) {
    any = _mm512_ternarylogic_epi64(any, first, second, kTable);
    __asm__ volatile("" : "+v"(any));
  }
}

// Adds the blocks that break a condition, in its home slot, for each vector of kWanted that it
// excludes.
//
// The exclusive or of its two bits is not worth keeping: the instruction that adds it takes it,
// too.
template <VectorSet kWanted, unsigned kIndex, std::size_t... kVector>
ASSAY_BITALG_INLINE void add_broken(const unsigned char*& evidence, __m512i any[kVectorCount],
                                    std::index_sequence<kVector...>) {
  constexpr collision::Condition kCondition = kConditions[kIndex];
  constexpr collision::Place kFirst = kPicks.first[kIndex];
  constexpr collision::Place kSecond = kPicks.second[kIndex];
  constexpr unsigned kHome = condition_home(kIndex);
  // The compiler must not keep what it loaded for the next condition with that bit: there are no
  // registers left, and it would store it on the stack.
  __asm__ volatile("" : "+r"(evidence));
  __m512i first = _mm512_load_si512(evidence + kFirst.pick * kPickBytes);
  __m512i second = _mm512_load_si512(evidence + kSecond.pick * kPickBytes);
  if constexpr (kFirst.slot == kSecond.slot && kFirst.slot != kHome) {
    // One shift instead of two.
    first = to_slot<kFirst.slot, kHome>(_mm512_xor_si512(first, second));
    second = _mm512_setzero_si512();
  } else {
    first = to_slot<kFirst.slot, kHome>(first);
    second = to_slot<kSecond.slot, kHome>(second);
  }
  constexpr int kTable = kCondition.c == 0 ? 0xf6 : 0xf9;  // any | (a ^ b), any | ~(a ^ b)
  constexpr VectorSet kVectors = kCondition.vectors & kWanted;
  (add_to<(kVectors >> kVector & 1) != 0, kTable>(any[kVector], first, second), ...);
}

template <VectorSet kWanted, unsigned kIndex>
ASSAY_BITALG_INLINE void add_if_wanted(const unsigned char*& evidence, __m512i any[kVectorCount]) {
  if constexpr ((kConditions[kIndex].vectors & kWanted) != 0) {
    add_broken<kWanted, kIndex>(evidence, any, std::make_index_sequence<kVectorCount>());
  }
}

template <VectorSet kWanted, std::size_t... kIndex>
ASSAY_BITALG_INLINE void add_all(const unsigned char*& evidence, __m512i any[kVectorCount],
                                 std::index_sequence<kIndex...>) {
  (add_if_wanted<kWanted, kIndex>(evidence, any), ...);
}

template <bool kWanted, unsigned kVector>
ASSAY_BITALG_INLINE void begin(__m512i any[kVectorCount]) {
  if constexpr (kWanted) {
    any[kVector] = _mm512_set1_epi64(static_cast<long long>(~slot_bits(home_slot(kVector))));
    // Lest the compiler sees that several vectors begin alike, and copies registers.
    __asm__("" : "+v"(any[kVector]));
  }
}

template <bool kWanted, unsigned kVector>
ASSAY_BITALG_INLINE void keep(Excluded& excluded, const __m512i any[kVectorCount]) {
  if constexpr (kWanted) {
    _mm512_store_si512(excluded.blocks[kVector], any[kVector]);
    const __mmask8 rows = _mm512_cmpneq_epi64_mask(any[kVector], _mm512_set1_epi64(-1));
    // Not by an intrinsic: gcc would collect the bytes in a vector register, one by one.
    __asm__("kmovb %1, %0" : "=m"(excluded.rows[kVector]) : "k"(rows));
  }
}

template <VectorSet kWanted, std::size_t... kVector>
ASSAY_BITALG_INLINE void judge_vectors(const unsigned char*& evidence, Excluded& excluded,
                                       std::index_sequence<kVector...>) {
  __m512i any[kVectorCount];
  (begin<(kWanted >> kVector & 1) != 0, kVector>(any), ...);
  add_all<kWanted>(evidence, any, std::make_index_sequence<kConditionCount>());
  (keep<(kWanted >> kVector & 1) != 0, kVector>(excluded, any), ...);
}

// The vectors whose conditions are tested in a slot.
constexpr VectorSet vectors_at(unsigned slot) {
  VectorSet set = 0;
  for (unsigned d = 0; d < kVectorCount; ++d) set |= VectorSet{home_slot(d) == slot} << d;
  return set;
}

constexpr unsigned kPartVectors = kVectorCount / bitalg::kParts;

template <unsigned kPart>
ASSAY_BITALG void judge_one_part(const unsigned char* evidence, Excluded& excluded) {
  constexpr VectorSet kWanted = ((VectorSet{1} << kPartVectors) - 1) << kPart * kPartVectors;
  judge_vectors<kWanted>(evidence, excluded, std::make_index_sequence<kVectorCount>());
}

using JudgePart = void(const unsigned char* evidence, Excluded& excluded);

template <std::size_t... kPart>
constexpr std::array<JudgePart*, sizeof...(kPart)> all_parts(std::index_sequence<kPart...>) {
  return {judge_one_part<kPart>...};
}

constexpr auto kAllParts = all_parts(std::make_index_sequence<bitalg::kParts>());

}  // namespace

ASSAY_BITALG void compress_lanes_logging_avx512_bitalg_x16(
    LaneState& state, const std::uint8_t* const blocks[kMaxLanes], std::size_t rows, LaneLog& log) {
  const avx512::RoundConstants constants = avx512::round_constants();
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
    all_steps(v, w, row, evidence, constants, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) {
      v[i] = _mm512_add_epi32(v[i], _mm512_load_si512(state.word[i]));
      _mm512_store_si512(state.word[i], v[i]);
      _mm512_store_si512(row.out[i], v[i]);
    }
    ++log.rows;
  }
}

namespace bitalg {

void judge_part(const LaneLog& log, Excluded& excluded, unsigned part) {
  kAllParts[part](log.evidence, excluded);
}

unsigned collect(const Excluded& excluded, unsigned rows_there, Survivor* survivors) {
  // Rows that are not logged have old evidence.
  const std::uint64_t logged = std::uint64_t{0x0101010101010101} * ((1U << rows_there) - 1);
  // First the rows, three at a time without a branch: their number in eight vectors, mostly 0 to 3,
  // cannot be predicted.
  std::uint8_t places[kVectorCount * kLogRows + 3];
  unsigned row_count = 0;
  for (unsigned eight = 0; eight < kVectorCount; eight += 8) {
    std::uint64_t rows = 0;
    std::memcpy(&rows, excluded.rows + eight, sizeof rows);
    rows &= logged;
    do {
      for (unsigned i = 0; i < 3; ++i) {
        places[row_count] = static_cast<std::uint8_t>(eight * 8 + std::countr_zero(rows) % 64);
        row_count += rows != 0;
        rows &= rows - 1;
      }
    } while (rows != 0);
  }
  unsigned count = 0;
  for (unsigned i = 0; i < row_count; ++i) {
    const unsigned vector = places[i] / 8;
    const unsigned row = places[i] % 8;
    const unsigned slot = home_slot(vector);
    for (std::uint64_t blocks = ~excluded.blocks[vector][row]; blocks != 0; blocks &= blocks - 1) {
      const unsigned bit = static_cast<unsigned>(std::countr_zero(blocks));
      survivors[count++] = {static_cast<std::uint8_t>(row),
                            static_cast<std::uint8_t>(bit / 8 * 2 + bit % 8 - 2 * slot),
                            static_cast<std::uint8_t>(vector)};
    }
  }
  return count;
}

}  // namespace bitalg

ASSAY_BITALG unsigned judge_lanes_avx512_bitalg(const LaneLog& log, Survivor* survivors) {
  // The vectors of one slot at a time: so many accumulators fit in the registers, and no condition
  // is tested twice.
  Excluded excluded;
  const unsigned char* evidence = log.evidence;
  judge_vectors<vectors_at(0)>(evidence, excluded, std::make_index_sequence<kVectorCount>());
  judge_vectors<vectors_at(2)>(evidence, excluded, std::make_index_sequence<kVectorCount>());
  // By hand: before a call whose registers it knows, gcc 12 left it out, and code in the legacy
  // encoding would be slowed down from here on, the caller's too.
  _mm256_zeroupper();
  return bitalg::collect(excluded, log.rows, survivors);
}

}  // namespace assay::sha1

#endif
