// SHA-1 of one message with collision detection, with the SHA extensions and AVX-512.
//
// The SHA instructions are one long chain that leaves much of the processor idle. What belongs to
// the judgement of block b - 1 is placed behind the rounds of block b and is executed beside them.
// It costs about 40 vector instructions a block (collision/families.h): the words 33 to 64 are in
// memory; two permutations of bytes and one 8 x 8 bit transposition (VGF2P8AFFINEQB by a unit
// matrix) turn them into the words S[b], and five vectors of 16 families follow.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni_avx512.h"

#include <bit>
#include <utility>

#include "sha1/collision/families.h"
#include "sha1/kernels/kernels.h"

#define ASSAY_ICE __attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")))
#define ASSAY_ICE_INLINE                                                           \
  __attribute__((target("sha,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni"), \
                 always_inline)) inline

namespace assay::sha1 {
namespace {

using collision::Families;
using collision::kEarlyStep;
using collision::kFamilies;
using collision::kLateStep;
using collision::kSliceBase;
using collision::Suspects;
using collision::VectorSet;

constexpr std::size_t kPrefetchDistance = 1024;

// What is kept of a block until it is judged.
struct alignas(64) BlockLog {
  // The message words 67 down to 32: word t at index 67 - t.
  static constexpr unsigned kFirst = 32;
  static constexpr unsigned kLast = 67;
  std::uint32_t words[kLast + 1 - kFirst];
  // Before step 56 and 64, in the order of the SHA instructions (d first), and four steps earlier.
  std::uint32_t abcd[2][4];
  std::uint32_t previous[2][4];
  // The chaining value after the block, likewise.
  std::uint32_t out_abcd[4];
  std::uint32_t out_e[4];

  std::uint32_t word(unsigned t) const { return words[kLast - t]; }
};

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
    store(log.words + BlockLog::kLast - (4 * kGroup + 3), s.x[kGroup % 8]);
  }
}

template <std::size_t... kGroups>
ASSAY_ICE_INLINE void all_steps(sha_ni_avx512::Stream& s, __m128i e, const std::uint8_t* block,
                                BlockLog& log, std::index_sequence<kGroups...>) {
  (logged_steps<kGroups>(s, e, block, log), ...);
}

// Where the bytes of the words come to lie before the bit transposition. The instruction turns
// eight bytes m = 0..7 into eight bytes of which byte j has bit j of byte 7 - i as its bit i; with
// the highest word first in memory, bit i belongs to word t0 + i. Elements 0 to 3 take the lowest
// bytes of the words, with bits 0 to 7, elements 4 to 7 the highest, with bits 24 to 31.
struct alignas(64) ByteIndex {
  std::uint8_t at[64];
};

constexpr ByteIndex make_byte_index() {
  ByteIndex index{};
  for (unsigned n = 0; n < 64; ++n) {
    const unsigned word = kSliceBase + n / 8 % 4 * 8 + 7 - n % 8;
    const unsigned byte = n < 32 ? 0 : 3;
    index.at[n] = static_cast<std::uint8_t>(4 * (collision::kLastWord - word) + byte);
  }
  return index;
}

// After it, byte j of element r has bit j (or 24 + j) of eight words: gathers the four such bytes.
constexpr ByteIndex make_slice_index() {
  ByteIndex index{};
  for (unsigned n = 0; n < 64; ++n) {
    const unsigned slice = n / 4;
    const unsigned element = n % 4 + (slice < 8 ? 0 : 4);
    index.at[n] = static_cast<std::uint8_t>(8 * element + slice % 8);
  }
  return index;
}

// The lane that has S[bit].
constexpr unsigned slice_lane(unsigned bit) { return bit < 8 ? bit : bit - 16; }

// The families as lanes of vectors.
struct alignas(64) Round {
  std::uint32_t lane_p[16];
  std::uint32_t lane_q[16];
  std::uint32_t rotate_p[16];
  std::uint32_t rotate_q[16];
  std::uint32_t flip[16];
  std::uint32_t mask[16];
};

constexpr unsigned kRounds = (kFamilies.count + 15) / 16;

constexpr std::array<Round, kRounds> make_rounds() {
  std::array<Round, kRounds> rounds{};
  for (unsigned f = 0; f < kFamilies.count; ++f) {
    const collision::Family& family = kFamilies.families[f];
    Round& round = rounds[f / 16];
    round.lane_p[f % 16] = slice_lane(family.p);
    round.lane_q[f % 16] = slice_lane(family.q);
    round.rotate_p[f % 16] = family.rotate_p;
    round.rotate_q[f % 16] = family.rotate_q;
    round.flip[f % 16] = family.c == 0 ? 0 : 0xffffffff;
    round.mask[f % 16] = family.mask;
  }
  return rounds;
}

struct Constants {
  ByteIndex take_bytes = make_byte_index();
  ByteIndex take_slices = make_slice_index();
  alignas(64) std::uint64_t unit[8] = {kUnit, kUnit, kUnit, kUnit, kUnit, kUnit, kUnit, kUnit};
  std::array<Round, kRounds> rounds = make_rounds();

  static constexpr std::uint64_t kUnit = 0x8040201008040201;
};
constexpr Constants kConstants;

// The broken vectors, by result bit.
//
// Inlined, so that the chain of the SHA instructions stays in registers; which means that no wide
// register may be written before this point and left so: an SHA instruction, having the legacy
// encoding, would wait for its upper half, at 100 ns for each change. Hence the constants, which a
// compiler likes to load early, are hidden from it, and the caller clears the upper halves.
ASSAY_ICE_INLINE std::uint32_t judge(const BlockLog& log) {
  const Constants* constants = &kConstants;
  __asm__ volatile("" : "+r"(constants));
  const std::uint32_t* first = log.words + BlockLog::kLast - collision::kLastWord;
  const __m512i high = _mm512_loadu_si512(first);
  const __m512i low = _mm512_loadu_si512(first + 16);
  const __m512i bytes =
      _mm512_permutex2var_epi8(high, _mm512_load_si512(constants->take_bytes.at), low);
  const __m512i bits = _mm512_gf2p8affine_epi64_epi8(_mm512_load_si512(constants->unit), bytes, 0);
  const __m512i slices =
      _mm512_permutexvar_epi8(_mm512_load_si512(constants->take_slices.at), bits);
  __m512i broken = _mm512_setzero_si512();
  for (unsigned r = 0; r < kRounds; ++r) {
    const Round& round = constants->rounds[r];
    const __m512i p =
        _mm512_rolv_epi32(_mm512_permutexvar_epi32(_mm512_load_si512(round.lane_p), slices),
                          _mm512_load_si512(round.rotate_p));
    const __m512i q =
        _mm512_rolv_epi32(_mm512_permutexvar_epi32(_mm512_load_si512(round.lane_q), slices),
                          _mm512_load_si512(round.rotate_q));
    const __m512i differ =
        _mm512_ternarylogic_epi32(p, q, _mm512_load_si512(round.flip), avx512::kXor3);
    // broken | (differ & mask)
    broken = _mm512_ternarylogic_epi32(broken, differ, _mm512_load_si512(round.mask), 0xf8);
  }
  const std::uint32_t result = static_cast<std::uint32_t>(_mm512_reduce_or_epi32(broken));
  _mm256_zeroupper();
  return result;
}

// One step in plain C++, to get from a multiple of four to the step of a vector.
struct Working {
  std::uint32_t v[5];

  template <unsigned kStep>
  void step(std::uint32_t word) {
    constexpr std::uint32_t kRoundConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    static_assert(kStep >= 40);
    const std::uint32_t mix =
        kStep < 60 ? (v[1] & v[2]) | (v[3] & (v[1] | v[2])) : v[1] ^ v[2] ^ v[3];
    const std::uint32_t next = std::rotl(v[0], 5) + mix + v[4] + kRoundConstants[kStep / 20] + word;
    v[4] = v[3];
    v[3] = v[2];
    v[2] = std::rotl(v[1], 30);
    v[1] = v[0];
    v[0] = next;
  }
};

Working working_at(const BlockLog& log, unsigned which) {
  const std::uint32_t* abcd = log.abcd[which];
  return {{abcd[3], abcd[2], abcd[1], abcd[0], std::rotl(log.previous[which][3], 30)}};
}

// Recompresses a block for the vectors that remain, or queues it. Returns: whether it is a
// collision, or another of the queue is.
__attribute__((noinline)) bool suspect(const BlockLog& log, const std::uint8_t* block,
                                       std::uint32_t result, Suspects& suspects) {
  Working early = working_at(log, 0);
  early.step<56>(log.word(56));
  early.step<57>(log.word(57));
  Working late = working_at(log, 1);
  late.step<64>(log.word(64));
  const std::uint32_t out[5] = {log.out_abcd[3], log.out_abcd[2], log.out_abcd[1], log.out_abcd[0],
                                log.out_e[3]};
  static_assert(kEarlyStep == 58 && kLateStep == 65);
  bool found = false;
  for (VectorSet set = collision::remaining_vectors(result); set != 0; set &= set - 1) {
    const unsigned vector = static_cast<unsigned>(std::countr_zero(set));
    if (!collision::add_suspect(suspects, block, vector, early.v, late.v, out, 1)) continue;
    found |= recompress_avx512(suspects) != 0;
    suspects.count = 0;
    suspects.late = 0;
  }
  return found;
}

}  // namespace

ASSAY_ICE bool compress_detecting_sha_ni_avx512(std::uint32_t state[5], const std::uint8_t* blocks,
                                                std::size_t n) {
  if (n == 0) return false;
  BlockLog logs[2];
  Suspects suspects;
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
    if (result != 0xffffffff) found |= suspect(before, blocks - kBlockSize, result, suspects);
  }
  const std::uint32_t result = judge(logs[(n - 1) % 2]);
  if (result != 0xffffffff)
    found |= suspect(logs[(n - 1) % 2], blocks - kBlockSize, result, suspects);
  if (suspects.count != 0) found |= recompress_avx512(suspects) != 0;
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

}  // namespace assay::sha1

#endif
