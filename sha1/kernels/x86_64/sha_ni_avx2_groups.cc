// A message of some length with collision detection, with the SHA extensions and AVX2: eight blocks
// at a time.
//
// As sha_ni_avx512_groups.cc, which explains the plan, in the eight lanes of AVX2; the judge is
// that of avx2_logging_x8.cc. An eighth of the expansion of the next group follows the rounds of
// each block and is executed beside them.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx2.h"
#include "sha1/kernels/x86_64/sha_ni.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sha1/collision/families.h"
#include "sha1/collision/slices.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/group_log.h"

#define ASSAY_LONG __attribute__((target("sha,avx2")))
#define ASSAY_LONG_INLINE __attribute__((target("sha,avx2"), always_inline)) inline

namespace assay::sha1 {
namespace {

using collision::kLogRows;
using collision::kSlices;
using collision::LaneLog;
using collision::Suspects;

constexpr std::size_t kGroupBlocks = 8;
constexpr std::size_t kPrefetchDistance = 1024;
constexpr unsigned kQuads = 16;  // four words each, from word 16 on

// The expanded messages of a group.
struct alignas(64) Group {
  std::uint32_t words[80][kGroupBlocks];  // word t of block b
  // Words 16 on, by four, the last one first: [.][b % 4][4 * (b / 4)...].
  std::uint32_t packed[kQuads][4][kGroupBlocks];
};

using States = BlockStates;
using Extra = GroupWords<kGroupBlocks>;

// The bits that conditions read, by the four words that they belong to.
struct Takes {
  std::uint8_t begin[kQuads + 1];
  std::uint8_t word[kSlices.count];
  std::uint32_t shift[kSlices.count];  // to the left, so that the bit becomes the highest
};

constexpr Takes make_takes() {
  Takes takes{};
  for (unsigned i = 0; i <= kQuads; ++i) {
    takes.begin[i] = static_cast<std::uint8_t>(kSlices.begin_of(16 + 4 * i));
  }
  for (unsigned i = 0; i < kSlices.count; ++i) {
    takes.word[i] = kSlices.bits[i].word;
    takes.shift[i] = 31U - kSlices.bits[i].bit;
  }
  return takes;
}
constexpr Takes kTakes = make_takes();

ASSAY_LONG_INLINE void store(std::uint32_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

ASSAY_LONG_INLINE __m256i load(const std::uint32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

ASSAY_LONG_INLINE void store(std::uint32_t* to, __m256i value) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
}

// Turns the first 16 words of n consecutive blocks. An idle lane repeats the last block.
ASSAY_LONG_INLINE void begin_group(Group& group, const std::uint8_t* blocks, std::size_t n) {
  const std::uint8_t* pointers[kGroupBlocks];
  for (std::size_t b = 0; b < kGroupBlocks; ++b) {
    pointers[b] = blocks + std::min(b, n - 1) * kBlockSize;
  }
  __m256i w[8];
  for (std::size_t half = 0; half < 2; ++half) {
    avx2::load_half(pointers, half * kBlockSize / 2, w);
    for (unsigned t = 0; t < 8; ++t) store(group.words[8 * half + t], w[t]);
  }
}

// Expands the words 16 + 4 * quad to 19 + 4 * quad, packs them for the SHA instructions and takes
// the bits that conditions read.
ASSAY_LONG_INLINE void expand(Group& group, unsigned quad, unsigned char* evidence) {
  std::uint32_t(*w)[kGroupBlocks] = group.words + 16 + 4 * quad;
  __m256i fresh[4];
  for (int i = 0; i < 4; ++i) {
    const __m256i early = _mm256_xor_si256(load(w[i - 16]), load(w[i - 14]));
    const __m256i late = _mm256_xor_si256(load(w[i - 8]), i == 3 ? fresh[0] : load(w[i - 3]));
    const __m256i sum = _mm256_xor_si256(early, late);
    fresh[i] = _mm256_or_si256(_mm256_add_epi32(sum, sum), _mm256_srli_epi32(sum, 31));
    store(w[i], fresh[i]);
  }
  const __m256i a = _mm256_unpacklo_epi32(fresh[3], fresh[2]);
  const __m256i b = _mm256_unpackhi_epi32(fresh[3], fresh[2]);
  const __m256i c = _mm256_unpacklo_epi32(fresh[1], fresh[0]);
  const __m256i d = _mm256_unpackhi_epi32(fresh[1], fresh[0]);
  store(group.packed[quad][0], _mm256_unpacklo_epi64(a, c));
  store(group.packed[quad][1], _mm256_unpackhi_epi64(a, c));
  store(group.packed[quad][2], _mm256_unpacklo_epi64(b, d));
  store(group.packed[quad][3], _mm256_unpackhi_epi64(b, d));
  for (unsigned i = kTakes.begin[quad]; i < kTakes.begin[quad + 1]; ++i) {
    const __m256i shift = _mm256_set1_epi32(static_cast<int>(kTakes.shift[i]));
    const __m256i top = _mm256_sllv_epi32(load(group.words[kTakes.word[i]]), shift);
    evidence[i * 8] = static_cast<unsigned char>(_mm256_movemask_ps(_mm256_castsi256_ps(top)));
  }
}

template <unsigned kQuad>
ASSAY_LONG_INLINE void four_steps(sha_ni::Stream& s, __m128i e, const std::uint8_t* block,
                                  const std::uint32_t* packed, States& states) {
  if constexpr (kQuad == 14 || kQuad == 16) {
    store(states.abcd[(kQuad - 14) / 2], s.abcd);
    store(states.previous[(kQuad - 14) / 2], s.previous);
  }
  if constexpr (kQuad < 4) {
    sha_ni::four_steps<kQuad>(s, e, block);
  } else {
    const __m128i words =
        _mm_load_si128(reinterpret_cast<const __m128i*>(packed + (kQuad - 4) * 4 * kGroupBlocks));
    const __m128i e_and_words = _mm_sha1nexte_epu32(s.previous, words);
    s.previous = s.abcd;
    s.abcd = _mm_sha1rnds4_epu32(s.abcd, e_and_words, kQuad / 5);
  }
}

template <std::size_t... kQuad>
ASSAY_LONG_INLINE void all_steps(sha_ni::Stream& s, __m128i e, const std::uint8_t* block,
                                 const std::uint32_t* packed, States& states,
                                 std::index_sequence<kQuad...>) {
  (four_steps<kQuad>(s, e, block, packed, states), ...);
}

// Keeps the words that lead from steps 56 and 64 to those of the vectors.
ASSAY_LONG_INLINE void keep_extra(const Group& group, Extra& extra) {
  store(extra.word56, load(group.words[56]));
  store(extra.word57, load(group.words[57]));
  store(extra.word64, load(group.words[64]));
}

// Expands the first group, beside which there is nothing to do.
__attribute__((target("sha,avx2"), noinline)) void expand_first(Group& group,
                                                                const std::uint8_t* blocks,
                                                                std::size_t n,
                                                                unsigned char* evidence,
                                                                Extra& extra) {
  begin_group(group, blocks, n);
  for (unsigned quad = 0; quad < kQuads; ++quad) expand(group, quad, evidence);
  keep_extra(group, extra);
}

// Expands eighth b of a group. Not inlined: gcc would load constants early and leave the upper
// halves of registers dirty, for which the SHA instructions pay dearly; at its end the compiler
// clears them.
__attribute__((target("sha,avx2"), noinline)) void expand_eighth(Group& group, unsigned b,
                                                                 const std::uint8_t* blocks,
                                                                 std::size_t n,
                                                                 unsigned char* evidence,
                                                                 Extra& extra) {
  if (b == 0) begin_group(group, blocks, n);
  expand(group, 2 * b, evidence);
  expand(group, 2 * b + 1, evidence);
  if (b + 1 == kGroupBlocks) keep_extra(group, extra);
}

// Judges the logged rows, that is groups, of which n blocks are there; `blocks` is the first.
__attribute__((noinline)) bool judge(const LaneLog& log, const States* states, const Extra* extra,
                                     const std::uint8_t* blocks, std::size_t n,
                                     Suspects& suspects) {
  collision::Survivor survivors[collision::kMaxSurvivors];
  const unsigned count = judge_lanes_avx2(log, survivors);
  return take_survivors(survivors, count, states, extra, blocks, n, suspects, recompress_avx2);
}

}  // namespace

ASSAY_LONG bool compress_groups_sha_ni_avx2(std::uint32_t state[5], const std::uint8_t* blocks,
                                            std::size_t n, Suspects& suspects) {
  Group group[2];
  // Of a log only the evidence is used. Two: while the last rows of one are hashed, the evidence of
  // the first row of the next is taken.
  LaneLog logs[2];
  States states[kLogRows * kGroupBlocks];
  Extra extra[2][kLogRows];
  bool found = false;

  expand_first(group[0], blocks, std::min(n, kGroupBlocks), logs[0].evidence, extra[0][0]);
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  const std::uint8_t* unjudged = blocks;
  for (std::size_t g = 0; n != 0; ++g) {
    Group& now = group[g % 2];
    Group& next = group[(g + 1) % 2];
    const unsigned row = static_cast<unsigned>(g % kLogRows);
    unsigned char* evidence = logs[(g + 1) / kLogRows % 2].evidence + (g + 1) % kLogRows;
    const std::size_t present = std::min(n, kGroupBlocks);
    n -= present;
    for (unsigned b = 0; b < present; ++b, blocks += kBlockSize) {
      States& kept = states[row * kGroupBlocks + b];
      const __m128i abcd = s.abcd;
      _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
      all_steps(s, e, blocks, &now.packed[0][b % 4][b / 4 * 4], kept,
                std::make_index_sequence<20>());
      s.abcd = _mm_add_epi32(s.abcd, abcd);
      e = _mm_sha1nexte_epu32(s.previous, e);
      store(kept.out_abcd, s.abcd);
      store(kept.out_e, e);
      if (n == 0) continue;
      expand_eighth(next, b, blocks + (kGroupBlocks - b) * kBlockSize, std::min(n, kGroupBlocks),
                    evidence, extra[(g + 1) / kLogRows % 2][(g + 1) % kLogRows]);
    }
    if (row + 1 == kLogRows || n == 0) {
      LaneLog& log = logs[g / kLogRows % 2];
      log.rows = row + 1;
      found |= judge(log, states, extra[g / kLogRows % 2], unjudged,
                     static_cast<std::size_t>(blocks - unjudged) / kBlockSize, suspects);
      unjudged = blocks;
    }
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

}  // namespace assay::sha1

#endif
