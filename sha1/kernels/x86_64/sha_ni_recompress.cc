// Recompression with the SHA extensions, one suspect after the other.
//
// The SHA instructions go forwards only, so the check is turned around. Recompressed forwards, the
// twin ends in some working variables; if it is a collision, its chaining value before the block is
// the known one after it less these. Hashing the twin from there must end in the known one again;
// and as steps can be undone, it does so only if it passes through the known state, which is what
// the other kernels test by going backwards.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni.h"

#include <bit>
#include <utility>

#include "sha1/collision/judge.h"
#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

using collision::kEarlyStep;
using collision::kLateStep;
using collision::Suspects;

constexpr unsigned kQuads = 20;  // four steps each

struct Working {
  std::uint32_t a, b, c, d, e;

  template <unsigned kStep>
  void step(std::uint32_t word) {
    static_assert(kStep >= 40);
    constexpr std::uint32_t kConstant = kStep < 60 ? 0x8f1bbcdc : 0xca62c1d6;
    const std::uint32_t mix = kStep < 60 ? (b & c) | (d & (b | c)) : b ^ c ^ d;
    const std::uint32_t next = std::rotl(a, 5) + mix + e + kConstant + word;
    *this = Working{next, a, std::rotl(b, 30), c, d};
  }
};

// Vectors in the order of the SHA instructions: a is in the highest lane, e likewise.
struct Vectors {
  __m128i abcd;
  __m128i e;
};

template <std::size_t... kQuad>
ASSAY_SHA_NI_INLINE void expand(const std::uint8_t* block, __m128i words[kQuads],
                                std::index_sequence<kQuad...>) {
  sha_ni::Stream s;
  ((words[kQuad] = s.x[kQuad % 8] = sha_ni::message_words<kQuad>(s, block)), ...);
}

template <unsigned kQuad>
ASSAY_SHA_NI_INLINE void four_steps(Vectors& v, __m128i& previous, const __m128i words[kQuads]) {
  const __m128i e_and_words = _mm_sha1nexte_epu32(previous, words[kQuad]);
  previous = v.abcd;
  v.abcd = _mm_sha1rnds4_epu32(v.abcd, e_and_words, kQuad / 5);
}

// The steps from 4 * kFrom on.
template <unsigned kFrom, std::size_t... kMore>
ASSAY_SHA_NI_INLINE void steps_to_end(Vectors& v, const __m128i words[kQuads],
                                      std::index_sequence<kMore...>) {
  __m128i previous = v.abcd;
  v.abcd = _mm_sha1rnds4_epu32(v.abcd, _mm_add_epi32(v.e, words[kFrom]), kFrom / 5);
  (four_steps<kFrom + 1 + kMore>(v, previous, words), ...);
  v.e = _mm_sha1nexte_epu32(previous, _mm_setzero_si128());
}

ASSAY_SHA_NI_INLINE Vectors to_vectors(const Working& w) {
  const auto word = [](std::uint32_t x) { return static_cast<int>(x); };
  return {_mm_set_epi32(word(w.a), word(w.b), word(w.c), word(w.d)),
          _mm_set_epi32(word(w.e), 0, 0, 0)};
}

ASSAY_SHA_NI_INLINE std::uint32_t word_of(const __m128i words[kQuads], unsigned t) {
  return reinterpret_cast<const std::uint32_t*>(words)[t / 4 * 4 + 3 - t % 4];
}

ASSAY_SHA_NI_INLINE bool collides(const Suspects& suspects, unsigned i) {
  alignas(16) __m128i words[kQuads];
  expand(suspects.twin[i], words, std::make_index_sequence<kQuads>());
  const auto& state = suspects.state;
  Working w = {state[0][i], state[1][i], state[2][i], state[3][i], state[4][i]};
  Vectors v;
  if ((suspects.late >> i & 1) != 0) {
    static_assert(kLateStep == 65);
    w.step<65>(word_of(words, 65));
    w.step<66>(word_of(words, 66));
    w.step<67>(word_of(words, 67));
    v = to_vectors(w);
    steps_to_end<17>(v, words, std::make_index_sequence<2>());
  } else {
    static_assert(kEarlyStep == 58);
    w.step<58>(word_of(words, 58));
    w.step<59>(word_of(words, 59));
    v = to_vectors(w);
    steps_to_end<15>(v, words, std::make_index_sequence<4>());
  }
  const auto& out = suspects.out;
  const Vectors after = to_vectors({out[0][i], out[1][i], out[2][i], out[3][i], out[4][i]});
  const Vectors before = {_mm_sub_epi32(after.abcd, v.abcd), _mm_sub_epi32(after.e, v.e)};
  v = before;
  steps_to_end<0>(v, words, std::make_index_sequence<19>());
  const __m128i different =
      _mm_or_si128(_mm_xor_si128(_mm_add_epi32(before.abcd, v.abcd), after.abcd),
                   _mm_xor_si128(_mm_add_epi32(before.e, v.e), after.e));
  return _mm_testz_si128(different, different) != 0;
}

}  // namespace

ASSAY_SHA_NI std::uint32_t recompress_sha_ni(const Suspects& suspects) {
  std::uint32_t hits = 0;
  for (unsigned i = 0; i < suspects.count; ++i) {
    hits |= static_cast<std::uint32_t>(collides(suspects, i)) << i;
  }
  return hits;
}

}  // namespace assay::sha1

#endif
