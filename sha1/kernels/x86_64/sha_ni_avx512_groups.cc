// A long message with collision detection, with the SHA extensions and AVX-512: 16 blocks at a
// time.
//
// The message schedules of 16 consecutive blocks are expanded side by side in the 16 lanes of
// vectors. That is what the bit-sliced judge of many messages wants (avx512_bitalg_x16.cc), and
// turned back, four words of a block in a row, it is what the SHA instructions want, which are then
// relieved of the schedule altogether. A sixteenth of the work for the next group follows the
// rounds of each block and is executed beside them.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni_avx512.h"

#include <utility>

#include "sha1/collision/families.h"
#include "sha1/collision/slices.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/bitalg_judge.h"
#include "sha1/kernels/x86_64/group_log.h"
#include "sha1/kernels/x86_64/selectors.h"

#define ASSAY_LONG __attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg")))
#define ASSAY_LONG_INLINE                                                       \
  __attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg"), \
                 always_inline)) inline

namespace assay::sha1 {
namespace {

using collision::kLogRows;
using collision::kPicks;
using collision::LaneLog;
using collision::Suspects;

constexpr std::size_t kGroupBlocks = 16;
// The first blocks of the next group are read while this one is hashed: twice as far as elsewhere,
// for the last of them to be there in time.
constexpr std::size_t kPrefetchDistance = 4096;

// The expanded messages of a group.
struct alignas(64) Group {
  std::uint32_t words[80][16];  // word t of block b
  std::uint32_t packed[16][4]
                      [16];  // words 16 on, by four: [.][b % 4][4 * (b / 4)...], last one first
};

using States = BlockStates;
using Extra = GroupWords<kGroupBlocks>;

// The picks of each four words.
struct PickRange {
  std::uint8_t begin[17];
};

constexpr PickRange make_pick_range() {
  PickRange range{};
  for (unsigned i = 0; i <= 16; ++i) {
    range.begin[i] = static_cast<std::uint8_t>(kPicks.begin_of(16 + 4 * i));
  }
  return range;
}
constexpr PickRange kPickRange = make_pick_range();

ASSAY_LONG_INLINE void store(std::uint32_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

// Turns the words 4 * quad to 4 * quad + 3, of the first 16, of 16 consecutive blocks.
ASSAY_LONG_INLINE void begin_quad(Group& group, unsigned quad, const std::uint8_t* blocks) {
  __m512i r[4];
  for (std::size_t i = 0; i < 4; ++i) {
    // Block 4 * q + i in quarter q. Inserting from memory needs no shuffle unit.
    const std::uint8_t* from = blocks + i * kBlockSize + 16 * quad;
    const auto quarter = [from](std::size_t q) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 4 * q * kBlockSize));
    };
    __m512i x = _mm512_castsi128_si512(quarter(0));
    x = _mm512_inserti32x4(x, quarter(1), 1);
    x = _mm512_inserti32x4(x, quarter(2), 2);
    x = _mm512_inserti32x4(x, quarter(3), 3);
    r[i] = avx512::swap_bytes(x);
  }
  const __m512i x0 = _mm512_unpacklo_epi32(r[0], r[1]);
  const __m512i x1 = _mm512_unpackhi_epi32(r[0], r[1]);
  const __m512i x2 = _mm512_unpacklo_epi32(r[2], r[3]);
  const __m512i x3 = _mm512_unpackhi_epi32(r[2], r[3]);
  std::uint32_t(*w)[16] = group.words + 4 * quad;
  _mm512_store_si512(w[0], _mm512_unpacklo_epi64(x0, x2));
  _mm512_store_si512(w[1], _mm512_unpackhi_epi64(x0, x2));
  _mm512_store_si512(w[2], _mm512_unpacklo_epi64(x1, x3));
  _mm512_store_si512(w[3], _mm512_unpackhi_epi64(x1, x3));
}

// Expands the words 16 + 4 * quad to 19 + 4 * quad, packs them for the SHA instructions and takes
// their picks.
ASSAY_LONG_INLINE void expand(Group& group, unsigned quad, unsigned char* evidence) {
  std::uint32_t(*w)[16] = group.words + 16 + 4 * quad;
  __m512i fresh[4];
  for (int i = 0; i < 4; ++i) {
    const __m512i x =
        _mm512_ternarylogic_epi32(_mm512_load_si512(w[i - 16]), _mm512_load_si512(w[i - 14]),
                                  _mm512_load_si512(w[i - 8]), avx512::kXor3);
    const __m512i before = i == 3 ? fresh[0] : _mm512_load_si512(w[i - 3]);
    fresh[i] = _mm512_rol_epi32(_mm512_xor_si512(x, before), 1);
    _mm512_store_si512(w[i], fresh[i]);
  }
  const __m512i a = _mm512_unpacklo_epi32(fresh[3], fresh[2]);
  const __m512i b = _mm512_unpackhi_epi32(fresh[3], fresh[2]);
  const __m512i c = _mm512_unpacklo_epi32(fresh[1], fresh[0]);
  const __m512i d = _mm512_unpackhi_epi32(fresh[1], fresh[0]);
  _mm512_store_si512(group.packed[quad][0], _mm512_unpacklo_epi64(a, c));
  _mm512_store_si512(group.packed[quad][1], _mm512_unpackhi_epi64(a, c));
  _mm512_store_si512(group.packed[quad][2], _mm512_unpacklo_epi64(b, d));
  _mm512_store_si512(group.packed[quad][3], _mm512_unpackhi_epi64(b, d));
  for (unsigned i = kPickRange.begin[quad]; i < kPickRange.begin[quad + 1]; ++i) {
    const __m512i words = _mm512_load_si512(group.words[kPicks.picks[i].word]);
    const __mmask64 bits =
        _mm512_bitshuffle_epi64_mask(words, _mm512_load_si512(kSelectors[i].byte));
    _store_mask64(reinterpret_cast<__mmask64*>(evidence + i * kPickBytes), bits);
  }
}

template <unsigned kQuad>
ASSAY_LONG_INLINE void four_steps(sha_ni_avx512::Stream& s, __m128i e, const std::uint8_t* block,
                                  const std::uint32_t* packed, States& states) {
  if constexpr (kQuad == 14 || kQuad == 16) {
    store(states.abcd[(kQuad - 14) / 2], s.abcd);
    store(states.previous[(kQuad - 14) / 2], s.previous);
  }
  if constexpr (kQuad < 4) {
    sha_ni_avx512::four_steps<kQuad>(s, e, block);
  } else {
    const __m128i words =
        _mm_load_si128(reinterpret_cast<const __m128i*>(packed + (kQuad - 4) * 64));
    const __m128i e_and_words = sha_ni_avx512::next_e(s.previous, words);
    s.previous = s.abcd;
    s.abcd = _mm_sha1rnds4_epu32(s.abcd, e_and_words, kQuad / 5);
  }
}

template <std::size_t... kQuads>
ASSAY_LONG_INLINE void all_steps(sha_ni_avx512::Stream& s, __m128i e, const std::uint8_t* block,
                                 const std::uint32_t* packed, States& states,
                                 std::index_sequence<kQuads...>) {
  (four_steps<kQuads>(s, e, block, packed, states), ...);
}

// Keeps the words that lead from steps 56 and 64 to those of the vectors.
ASSAY_LONG_INLINE void keep_extra(const Group& group, Extra& extra) {
  _mm512_store_si512(extra.word56, _mm512_load_si512(group.words[56]));
  _mm512_store_si512(extra.word57, _mm512_load_si512(group.words[57]));
  _mm512_store_si512(extra.word64, _mm512_load_si512(group.words[64]));
}

// Expands the first group, beside which there is nothing to do.
__attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg"), noinline)) void
expand_first(Group& group, const std::uint8_t* blocks, unsigned char* evidence, Extra& extra) {
  for (unsigned quad = 0; quad < 4; ++quad) begin_quad(group, quad, blocks);
  for (unsigned quad = 0; quad < 16; ++quad) expand(group, quad, evidence);
  keep_extra(group, extra);
}

// Takes up what remains of the logged rows, that is groups, whose parts are judged; `blocks` is the
// first of their blocks.
__attribute__((noinline)) bool take_up(const bitalg::Excluded& excluded, unsigned rows,
                                       const States* states, const Extra* extra,
                                       const std::uint8_t* blocks, Suspects& suspects) {
  collision::Survivor survivors[collision::kMaxSurvivors];
  const unsigned count = bitalg::collect(excluded, rows, survivors);
  return take_survivors(survivors, count, states, extra, blocks, rows * kGroupBlocks, suspects,
                        recompress_avx512);
}

// Judges a log from part `part` on.
__attribute__((noinline)) void judge_parts(const LaneLog& log, bitalg::Excluded& excluded,
                                           unsigned part) {
  for (; part < bitalg::kParts; ++part) bitalg::judge_part(log, excluded, part);
}

}  // namespace

ASSAY_LONG bool compress_groups_sha_ni_avx512(std::uint32_t state[5], const std::uint8_t* blocks,
                                              std::size_t n, Suspects& suspects) {
  const std::size_t groups = n / kGroupBlocks;
  Group group[2];
  // Of a log only the evidence is used. Two: while the last rows of one are hashed, the evidence of
  // the first row of the next is taken.
  LaneLog logs[2];
  States states[2][kLogRows * kGroupBlocks];
  Extra extra[2][kLogRows];
  bitalg::Excluded excluded;
  bool found = false;

  expand_first(group[0], blocks, logs[0].evidence, extra[0][0]);
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni_avx512::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  // A full log is judged while the next one is filled, a part beside each group, and taken up
  // before its first row is overwritten.
  static_assert(bitalg::kParts == kLogRows);
  const std::uint8_t* first_of_full = nullptr;  // null when there is none
  const std::uint8_t* first_of_log = blocks;
  for (std::size_t g = 0; g < groups; ++g) {
    Group& now = group[g % 2];
    Group& next = group[(g + 1) % 2];
    const unsigned row = static_cast<unsigned>(g % kLogRows);
    const std::size_t at = g / kLogRows % 2;
    unsigned char* evidence = logs[(g + 1) / kLogRows % 2].evidence + 8 * ((g + 1) % kLogRows);
    const std::uint8_t* next_blocks = blocks + kGroupBlocks * kBlockSize;
    for (unsigned b = 0; b < kGroupBlocks; ++b, blocks += kBlockSize) {
      States& kept = states[at][row * kGroupBlocks + b];
      const __m128i abcd = s.abcd;
      _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
      all_steps(s, e, blocks, &now.packed[0][b % 4][b / 4 * 4], kept,
                std::make_index_sequence<20>());
      s.abcd = _mm_add_epi32(s.abcd, abcd);
      e = sha_ni_avx512::next_e(s.previous, e);
      store(kept.out_abcd, s.abcd);
      store(kept.out_e, e);
      if (g + 1 == groups) continue;
      if (b < 4) {
        begin_quad(next, b, next_blocks);
        if (b == 0 && first_of_full != nullptr) {
          bitalg::judge_part(logs[1 - at], excluded, row);
        }
        if (b == 3 && first_of_full != nullptr && row + 1 == kLogRows) {
          found |=
              take_up(excluded, kLogRows, states[1 - at], extra[1 - at], first_of_full, suspects);
          first_of_full = nullptr;
        }
      } else {
        // Sixteen parts beside twelve blocks.
        const unsigned quad = (b - 4) * 4 / 3;
        expand(next, quad, evidence);
        if (b % 3 == 0) expand(next, quad + 1, evidence);
      }
      if (b + 1 == kGroupBlocks) {
        keep_extra(next, extra[(g + 1) / kLogRows % 2][(g + 1) % kLogRows]);
      }
      _mm256_zeroupper();
    }
    if (g + 1 == groups) {
      if (first_of_full != nullptr) {
        judge_parts(logs[1 - at], excluded, row);
        found |=
            take_up(excluded, kLogRows, states[1 - at], extra[1 - at], first_of_full, suspects);
      }
      judge_parts(logs[at], excluded, 0);
      found |= take_up(excluded, row + 1, states[at], extra[at], first_of_log, suspects);
    } else if (row + 1 == kLogRows) {
      first_of_full = first_of_log;
      first_of_log = blocks;
    }
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

}  // namespace assay::sha1

#endif
