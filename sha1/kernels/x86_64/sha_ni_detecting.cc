// SHA-1 of one message with collision detection, with the SHA extensions and AVX2; and, for the few
// processors without AVX2, with SSE4.1.
//
// As sha_ni_avx512_detecting.cc, which explains the plan; here the words S[b] come from VPMOVMSKB,
// which takes the highest bit of 32 bytes at once. Bit n of S[b] belongs to word 64 - n, so the
// order is the reverse of collision/families.h: rotations turn around, and so do masks and the
// result. A family never wraps around the end of a word, so each of its rotations is one shift,
// left or right; families that shift in the same directions share vectors.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni.h"

#include <array>
#include <utility>

#include "sha1/collision/families.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/block_log.h"

#define ASSAY_SHA_AVX2 __attribute__((target("sha,avx2")))
#define ASSAY_SHA_AVX2_INLINE __attribute__((target("sha,avx2"), always_inline)) inline

namespace assay::sha1 {
namespace {

using collision::Family;
using collision::kFamilies;
using collision::Suspects;

constexpr std::size_t kPrefetchDistance = 1024;
constexpr unsigned kLanes = 8;

ASSAY_SHA_NI_INLINE void store(std::uint32_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

template <unsigned kGroup>
ASSAY_SHA_NI_INLINE void logged_steps(sha_ni::Stream& s, __m128i e, const std::uint8_t* block,
                                      BlockLog& log) {
  if constexpr (kGroup == 14 || kGroup == 16) {
    store(log.abcd[(kGroup - 14) / 2], s.abcd);
    store(log.previous[(kGroup - 14) / 2], s.previous);
  }
  sha_ni::four_steps<kGroup>(s, e, block);
  if constexpr (4 * kGroup >= BlockLog::kFirst && 4 * kGroup <= BlockLog::kLast) {
    store(log.words + BlockLog::kLast - (4 * kGroup + 3), s.x[kGroup % 8]);
  }
}

template <std::size_t... kGroups>
ASSAY_SHA_NI_INLINE void all_steps(sha_ni::Stream& s, __m128i e, const std::uint8_t* block,
                                   BlockLog& log, std::index_sequence<kGroups...>) {
  (logged_steps<kGroups>(s, e, block, log), ...);
}

constexpr std::uint32_t reversed(std::uint32_t x) {
  std::uint32_t y = 0;
  for (unsigned i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}

// The words S lie in memory as two vectors; a family finds both of its words in one of them.
constexpr std::uint8_t kTable[2][kLanes] = {{29, 4, 6, 1, 28, 3, 30, 5}, {0, 2, 7, 5, 30, 0, 0, 0}};

constexpr unsigned lane_in(unsigned table, unsigned bit) {
  unsigned lane = 0;
  while (lane < kLanes && kTable[table][lane] != bit) ++lane;
  return lane;
}

// A family in the reversed order.
struct Reversed {
  unsigned table;
  unsigned lane_p;
  unsigned lane_q;
  int right_p;  // distance to shift right; negative: left
  int right_q;
  std::uint32_t mask;
  unsigned kind;  // what all lanes of a round have in common
};

// The one shift that does what rotating right by `rotation` does for the bits of `mask`.
constexpr int shift_for(unsigned rotation, std::uint32_t mask) {
  const int highest = 31 - std::countl_zero(mask);
  return highest + static_cast<int>(rotation) < 32 ? static_cast<int>(rotation)
                                                   : static_cast<int>(rotation) - 32;
}

constexpr Reversed reverse(const Family& family) {
  Reversed r{};
  r.table = lane_in(0, family.p) < kLanes && lane_in(0, family.q) < kLanes ? 0 : 1;
  r.lane_p = lane_in(r.table, family.p);
  r.lane_q = lane_in(r.table, family.q);
  r.mask = reversed(family.mask);
  r.right_p = shift_for(family.rotate_p, r.mask);
  r.right_q = shift_for(family.rotate_q, r.mask);
  r.kind = family.c + 2U * (r.right_p < 0) + 4U * (r.right_q < 0) + 8U * r.table;
  return r;
}

constexpr unsigned kKinds = 16;

struct alignas(32) Round {
  std::uint32_t lane_p[kLanes];
  std::uint32_t lane_q[kLanes];
  std::uint32_t shift_p[kLanes];
  std::uint32_t shift_q[kLanes];
  std::uint32_t mask[kLanes];
};

struct Rounds {
  unsigned count = 0;
  unsigned kind[kFamilies.count] = {};
  std::array<Round, kFamilies.count> rounds{};
};

constexpr Rounds make_rounds() {
  Rounds all;
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    unsigned lane = kLanes;
    for (unsigned f = 0; f < kFamilies.count; ++f) {
      const Reversed r = reverse(kFamilies.families[f]);
      if (r.kind != kind) continue;
      if (lane == kLanes) {
        lane = 0;
        all.kind[all.count++] = kind;
      }
      Round& round = all.rounds[all.count - 1];
      round.lane_p[lane] = r.lane_p;
      round.lane_q[lane] = r.lane_q;
      round.shift_p[lane] = static_cast<std::uint32_t>(r.right_p < 0 ? -r.right_p : r.right_p);
      round.shift_q[lane] = static_cast<std::uint32_t>(r.right_q < 0 ? -r.right_q : r.right_q);
      round.mask[lane] = r.mask;
      ++lane;
    }
  }
  return all;
}

constexpr Rounds kRounds = make_rounds();

constexpr bool tables_are_complete() {
  for (unsigned f = 0; f < kFamilies.count; ++f) {
    const Reversed r = reverse(kFamilies.families[f]);
    if (r.lane_p == kLanes || r.lane_q == kLanes) return false;
  }
  return true;
}
static_assert(tables_are_complete());

ASSAY_SHA_AVX2_INLINE __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

template <bool kLeft>
ASSAY_SHA_AVX2_INLINE __m256i shift(__m256i x, const std::uint32_t counts[kLanes]) {
  return kLeft ? _mm256_sllv_epi32(x, load(counts)) : _mm256_srlv_epi32(x, load(counts));
}

template <unsigned kIndex>
ASSAY_SHA_AVX2_INLINE void test_round(const Round* rounds, const __m256i tables[2],
                                      __m256i& broken) {
  constexpr unsigned kKind = kRounds.kind[kIndex];
  const Round& round = rounds[kIndex];
  const __m256i table = tables[kKind / 8];
  const __m256i p = shift<(kKind & 2) != 0>(_mm256_permutevar8x32_epi32(table, load(round.lane_p)),
                                            round.shift_p);
  const __m256i q = shift<(kKind & 4) != 0>(_mm256_permutevar8x32_epi32(table, load(round.lane_q)),
                                            round.shift_q);
  const __m256i differ = _mm256_xor_si256(p, q);
  const __m256i mask = load(round.mask);
  broken = _mm256_or_si256(broken, (kKind & 1) == 0 ? _mm256_and_si256(differ, mask)
                                                    : _mm256_andnot_si256(differ, mask));
}

template <std::size_t... kIndex>
ASSAY_SHA_AVX2_INLINE __m256i test_rounds(const Round* rounds, const __m256i tables[2],
                                          std::index_sequence<kIndex...>) {
  __m256i broken = _mm256_setzero_si256();
  (test_round<kIndex>(rounds, tables, broken), ...);
  return broken;
}

// Byte kByte of the words in v, in the order of the words.
template <int kByte>
ASSAY_SHA_AVX2_INLINE __m256i take_bytes(const __m256i v[4]) {
  __m256i part[4];
  for (unsigned i = 0; i < 4; ++i) {
    part[i] =
        kByte == 3 ? _mm256_srli_epi32(v[i], 24) : _mm256_and_si256(v[i], _mm256_set1_epi32(0xff));
  }
  // Packing works in 128-bit halves, which leaves groups of four bytes out of order.
  const __m256i low = _mm256_packus_epi32(part[0], part[1]);
  const __m256i high = _mm256_packus_epi32(part[2], part[3]);
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                     _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}

ASSAY_SHA_AVX2_INLINE std::uint32_t highest_bits(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

// The broken vectors, by result bit from the highest down. Not inlined: gcc would load constants
// early and leave the upper halves of registers dirty, for which the SHA instructions pay dearly;
// at its end the compiler clears them.
__attribute__((target("sha,avx2"), noinline)) std::uint32_t judge_avx2(const BlockLog& log) {
  const std::uint32_t* first = log.words + BlockLog::kLast - collision::kLastWord;
  const __m256i v[4] = {load(first), load(first + 8), load(first + 16), load(first + 24)};
  std::uint32_t s[32];
  __m256i bytes = take_bytes<0>(v);
  for (unsigned bit = 8; bit-- > 0;) {
    s[bit] = highest_bits(bytes);
    bytes = _mm256_add_epi8(bytes, bytes);
  }
  bytes = take_bytes<3>(v);
  for (unsigned bit = 30; bit >= 28; --bit) {
    bytes = _mm256_add_epi8(bytes, bytes);
    s[bit] = highest_bits(bytes);
  }
  alignas(32) std::uint32_t tables[2][kLanes];
  for (unsigned table = 0; table < 2; ++table) {
    for (unsigned lane = 0; lane < kLanes; ++lane) tables[table][lane] = s[kTable[table][lane]];
  }
  const __m256i both[2] = {load(tables[0]), load(tables[1])};
  const __m256i broken =
      test_rounds(kRounds.rounds.data(), both, std::make_index_sequence<kRounds.count>());
  const __m128i four =
      _mm_or_si128(_mm256_castsi256_si128(broken), _mm256_extracti128_si256(broken, 1));
  const __m128i two = _mm_or_si128(four, _mm_shuffle_epi32(four, 0x4e));
  const std::uint64_t pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(two));
  return static_cast<std::uint32_t>(pair | pair >> 32);
}

std::uint32_t judge_portable(const BlockLog& log) {
  std::uint32_t words[80];
  for (unsigned t = collision::kFirstWord; t <= collision::kLastWord; ++t) words[t] = log.word(t);
  const collision::VectorSet set = judge_one(words);
  std::uint32_t result = 0xffffffff;
  if (set == 0) return result;
  for (unsigned d = 0; d < collision::kVectorCount; ++d) {
    result &= ~((set >> d & 1) << (31 - collision::result_bit(d)));
  }
  return result;
}

// The loop over the blocks; kJudge lags one block behind, so that it is executed beside the rounds.
template <std::uint32_t (*kJudge)(const BlockLog&), Recompress* kRecompress>
ASSAY_SHA_NI_INLINE bool compress_detecting(std::uint32_t state[5], const std::uint8_t* blocks,
                                            std::size_t n) {
  if (n == 0) return false;
  BlockLog logs[2];
  Suspects suspects;
  bool found = false;
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (std::size_t i = 0; i < n; ++i, blocks += kBlockSize) {
    BlockLog& log = logs[i % 2];
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    all_steps(s, e, blocks, log, std::make_index_sequence<20>());
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = _mm_sha1nexte_epu32(s.previous, e);
    store(log.out_abcd, s.abcd);
    store(log.out_e, e);
    if (i == 0) continue;
    const BlockLog& before = logs[(i - 1) % 2];
    const std::uint32_t result = kJudge(before);
    if (result != 0xffffffff) {
      found |= take_suspect(before, blocks - kBlockSize, reversed(result), suspects, kRecompress);
    }
  }
  const BlockLog& last = logs[(n - 1) % 2];
  const std::uint32_t result = kJudge(last);
  if (result != 0xffffffff) {
    found |= take_suspect(last, blocks - kBlockSize, reversed(result), suspects, kRecompress);
  }
  // Few suspects are done sooner one by one: a vector of lanes takes as long for one as for eight.
  if (suspects.count != 0) {
    found |= (suspects.count <= 1 ? recompress_portable : kRecompress)(suspects) != 0;
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

}  // namespace

ASSAY_SHA_NI bool compress_detecting_sha_ni_avx2(std::uint32_t state[5], const std::uint8_t* blocks,
                                                 std::size_t n) {
  return compress_detecting<judge_avx2, recompress_avx2>(state, blocks, n);
}

ASSAY_SHA_NI bool compress_detecting_sha_ni(std::uint32_t state[5], const std::uint8_t* blocks,
                                            std::size_t n) {
  return compress_detecting<judge_portable, recompress_portable>(state, blocks, n);
}

}  // namespace assay::sha1

#endif
