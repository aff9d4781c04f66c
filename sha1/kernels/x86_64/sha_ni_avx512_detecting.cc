// SHA-1 of one message with collision detection, with the SHA extensions and AVX-512.
//
// The SHA instructions are one long chain that leaves much of the processor idle. What belongs to
// the judgement of block b - 1 is placed behind the rounds of block b and is executed beside them.
// It costs about 60 vector instructions a block (collision/families.h): the words 33 to 64 are in
// memory; permutations of bytes and an 8 x 8 bit transposition (VGF2P8AFFINEQB by a unit
// matrix) turn them into the words S[b], and eleven vectors of 8 families follow. With 512-bit
// vectors they would be half as many, but those close one of the three vector ports to everything
// else.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni_avx512.h"

#include <array>
#include <iterator>
#include <utility>

#include "sha1/collision/families.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/block_log.h"

#define ASSAY_ICE __attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")))
#define ASSAY_ICE_INLINE                                                           \
  __attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni"), \
                 always_inline)) inline

namespace assay::sha1 {
namespace {

using collision::kFamilyRounds;
using collision::kLayouts;
using collision::Suspects;

constexpr std::size_t kPrefetchDistance = 1024;
// From here on groups of 16 blocks pay; a judgement of eight groups costs as much as one of one.
constexpr std::size_t kGroupedBlocks = 64;
constexpr unsigned kLanes = collision::kFamilyLanes;

ASSAY_ICE_INLINE void store(std::uint32_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

template <unsigned kGroup>
ASSAY_ICE_INLINE void logged_steps(sha_ni_avx512::Stream& s, __m128i e, const std::uint8_t* block,
                                   BlockLog& log) {
  if constexpr (kGroup == 14 || kGroup == 16) {
    store(log.abcd[(kGroup - 14) / 2], s.abcd);
    store(log.previous[(kGroup - 14) / 2], s.previous);
  }
  sha_ni_avx512::four_steps<kGroup>(s, e, block);
  if constexpr (4 * kGroup >= BlockLog::kFirst && 4 * kGroup <= BlockLog::kLast) {
    store(log.at(4 * kGroup + 3), s.x[kGroup % 8]);
  }
}

template <std::size_t... kGroups>
ASSAY_ICE_INLINE void all_steps(sha_ni_avx512::Stream& s, __m128i e, const std::uint8_t* block,
                                BlockLog& log, std::index_sequence<kGroups...>) {
  (logged_steps<kGroups>(s, e, block, log), ...);
}

// Where the bytes of the words come to lie before the bit transposition. The instruction turns
// eight bytes m = 0..7 into eight bytes of which byte j has bit j of byte 7 - i as its bit i; with
// the highest word first in memory, bit i belongs to word t0 + i. Of 16 words, elements 0 and 1
// take the lowest bytes, with bits 0 to 7, elements 2 and 3 the highest, with bits 24 to 31.
struct alignas(32) ByteIndex {
  std::uint8_t at[32];
};

constexpr ByteIndex make_byte_index() {
  ByteIndex index{};
  for (unsigned n = 0; n < 32; ++n) {
    const unsigned word = n / 8 % 2 * 8 + 7 - n % 8;
    const unsigned byte = n < 16 ? 0 : 3;
    index.at[n] = static_cast<std::uint8_t>(4 * (15 - word) + byte);
  }
  return index;
}

// After it, byte j of an element has bit j (or 24 + j) of eight words: gathers the four such bytes
// of the slice of each lane, two from the lower 16 words and two from the higher.
constexpr ByteIndex make_slice_index(const std::uint8_t bits[kLanes]) {
  ByteIndex index{};
  for (unsigned n = 0; n < 32; ++n) {
    const unsigned bit = bits[n / 4];
    const unsigned higher_words = n % 4 / 2;
    const unsigned element = n % 2 + (bit < 8 ? 0 : 2);
    index.at[n] = static_cast<std::uint8_t>(32 * higher_words + 8 * element + bit % 8);
  }
  return index;
}

struct alignas(32) Round {
  std::uint32_t rotate_p[kLanes];
  std::uint32_t rotate_q[kLanes];
  std::uint32_t flip[kLanes];
  std::uint32_t mask[kLanes];
};

struct alignas(32) Layout {
  ByteIndex take_p;
  ByteIndex take_q;
};

constexpr auto make_layouts() {
  std::array<Layout, std::size(kLayouts)> layouts{};
  for (unsigned i = 0; i < layouts.size(); ++i) {
    layouts[i] = {make_slice_index(kLayouts[i].p), make_slice_index(kLayouts[i].q)};
  }
  return layouts;
}

constexpr auto make_rounds() {
  std::array<Round, kFamilyRounds> rounds{};
  for (unsigned r = 0; r < kFamilyRounds; ++r) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const collision::Family& family = collision::kFamilyPlan.round[r][lane];
      rounds[r].rotate_p[lane] = family.rotate_p;
      rounds[r].rotate_q[lane] = family.rotate_q;
      rounds[r].flip[lane] = family.c == 0 ? 0 : 0xffffffff;
      rounds[r].mask[lane] = family.mask;
    }
  }
  return rounds;
}

struct Constants {
  ByteIndex take_bytes = make_byte_index();
  std::array<Layout, std::size(kLayouts)> layouts = make_layouts();
  alignas(32) std::uint64_t unit[4] = {kUnit, kUnit, kUnit, kUnit};
  std::array<Round, kFamilyRounds> rounds = make_rounds();

  static constexpr std::uint64_t kUnit = 0x8040201008040201;
};
constexpr Constants kConstants;

ASSAY_ICE_INLINE __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

ASSAY_ICE_INLINE void test_round(__m256i p, __m256i q, const Round& round, __m256i& broken) {
  const __m256i differ = _mm256_ternarylogic_epi32(_mm256_rolv_epi32(p, load(round.rotate_p)),
                                                   _mm256_rolv_epi32(q, load(round.rotate_q)),
                                                   load(round.flip), avx512::kXor3);
  // broken | (differ & mask)
  broken = _mm256_ternarylogic_epi32(broken, differ, load(round.mask), 0xf8);
}

// The rounds of a layout; unrolled, which gcc does not do by itself for loops of varying length.
template <unsigned kLayout, unsigned kFirst, std::size_t... kRound>
ASSAY_ICE_INLINE void test_layout(__m256i lower, __m256i higher, const Constants* constants,
                                  __m256i& broken, std::index_sequence<kRound...>) {
  const Layout& layout = constants->layouts[kLayout];
  const __m256i p = _mm256_permutex2var_epi8(lower, load(layout.take_p.at), higher);
  const __m256i q = _mm256_permutex2var_epi8(lower, load(layout.take_q.at), higher);
  (test_round(p, q, constants->rounds[kFirst + kRound], broken), ...);
}

// The broken vectors, by result bit.
//
// Inlined, so that the chain of the SHA instructions stays in registers; which means that no wide
// register may be written before this point and left so: an SHA instruction, having the legacy
// encoding, would wait for its upper half, at 100 ns for each change. Hence the constants, which a
// compiler likes to load early, are hidden from it, and the caller clears the upper halves.
ASSAY_ICE_INLINE std::uint32_t judge(const BlockLog& log) {
  const Constants* constants = &kConstants;
  __asm__ volatile("" : "+r"(constants));
  const std::uint32_t* first = log.at(collision::kLastWord);
  const __m256i take = load(constants->take_bytes.at);
  const __m256i unit = load(constants->unit);
  const __m256i higher = _mm256_gf2p8affine_epi64_epi8(
      unit, _mm256_permutex2var_epi8(load(first), take, load(first + 8)), 0);
  const __m256i lower = _mm256_gf2p8affine_epi64_epi8(
      unit, _mm256_permutex2var_epi8(load(first + 16), take, load(first + 24)), 0);
  __m256i broken = _mm256_setzero_si256();
  constexpr unsigned kSecond = kLayouts[0].rounds;
  constexpr unsigned kThird = kSecond + kLayouts[1].rounds;
  static_assert(std::size(kLayouts) == 3);
  test_layout<0, 0>(lower, higher, constants, broken,
                    std::make_index_sequence<kLayouts[0].rounds>());
  test_layout<1, kSecond>(lower, higher, constants, broken,
                          std::make_index_sequence<kLayouts[1].rounds>());
  test_layout<2, kThird>(lower, higher, constants, broken,
                         std::make_index_sequence<kLayouts[2].rounds>());
  const __m128i four =
      _mm_or_si128(_mm256_castsi256_si128(broken), _mm256_extracti128_si256(broken, 1));
  const __m128i two = _mm_or_si128(four, _mm_shuffle_epi32(four, 0x4e));
  const std::uint64_t pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(two));
  const std::uint32_t result = static_cast<std::uint32_t>(pair | pair >> 32);
  _mm256_zeroupper();
  return result;
}

}  // namespace

// Block after block.
__attribute__((noinline)) ASSAY_ICE bool compress_queuing_sha_ni_avx512(std::uint32_t state[5],
                                                                        const std::uint8_t* blocks,
                                                                        std::size_t n,
                                                                        Suspects& suspects) {
  BlockLog logs[2];
  bool found = false;
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni_avx512::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (std::size_t i = 0; i < n; ++i, blocks += kBlockSize) {
    BlockLog& log = logs[i % 2];
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    all_steps(s, e, blocks, log, std::make_index_sequence<20>());
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = sha_ni_avx512::next_e(s.previous, e);
    store(log.out_abcd, s.abcd);
    store(log.out_e, e);
    if (i == 0) continue;
    const BlockLog& before = logs[(i - 1) % 2];
    const std::uint32_t result = judge(before);
    if (result != 0xffffffff)
      found |= take_suspect(before, blocks - kBlockSize, result, suspects, recompress_avx512);
  }
  const std::uint32_t result = judge(logs[(n - 1) % 2]);
  if (result != 0xffffffff)
    found |=
        take_suspect(logs[(n - 1) % 2], blocks - kBlockSize, result, suspects, recompress_avx512);
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

ASSAY_ICE bool compress_detecting_sha_ni_avx512(std::uint32_t state[5], const std::uint8_t* blocks,
                                                std::size_t n) {
  Suspects suspects;
  bool found = false;
  if (n >= kGroupedBlocks) {
    const std::size_t groups = n / 16;
    found = compress_groups_sha_ni_avx512(state, blocks, 16 * groups, suspects);
    blocks += groups * 16 * kBlockSize;
    n %= 16;
  }
  if (n != 0) found |= compress_queuing_sha_ni_avx512(state, blocks, n, suspects);
  // Few suspects are done sooner one by one: a vector of lanes takes as long for one as for 16.
  if (suspects.count != 0) {
    found |= (suspects.count <= 3 ? recompress_sha_ni : recompress_avx512)(suspects) != 0;
  }
  return found;
}

}  // namespace assay::sha1

#endif
