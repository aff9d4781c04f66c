// Detection in plain C++: the yardstick of all other detectors.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sha1/collision/conditions.h"
#include "sha1/collision/judge.h"
#include "sha1/collision/vectors.h"
#include "sha1/kernels/kernels.h"
#include "sha1/padding.h"

namespace assay::sha1 {
namespace {

using collision::Condition;
using collision::kConditionCount;
using collision::kConditions;
using collision::kEarlyStep;
using collision::kLateStep;
using collision::Suspects;
using collision::VectorSet;

constexpr std::uint32_t kRoundConstant[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

inline void expand(std::uint32_t w[80]) {
  for (unsigned t = 16; t < 80; ++t) {
    std::uint32_t word = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    // gcc 12 would make vectors of two words, whose loads wait for two stores each: half as fast.
    __asm__("" : "+r"(word));
    w[t] = word;
  }
}

// The mixing function of the steps 20 * kPhase to 20 * kPhase + 19.
template <unsigned kPhase>
[[gnu::always_inline]] inline std::uint32_t mix(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (kPhase == 0) return (b & c) + (~b & d);
  if constexpr (kPhase == 2) return (b & c) + (d & (b ^ c));
  return b ^ c ^ d;
}

struct Working {
  std::uint32_t a, b, c, d, e;
};

// The loops do five steps at a time, after which the variables are in their places again; not more,
// because recompression is rare, and code that is rarely run is bound by its size.

template <unsigned kPhase>
[[gnu::always_inline]] inline void forward_step(std::uint32_t a, std::uint32_t& b, std::uint32_t c,
                                                std::uint32_t d, std::uint32_t& e,
                                                std::uint32_t word) {
  e += kRoundConstant[kPhase] + word + mix<kPhase>(b, c, d) + std::rotl(a, 5);
  b = std::rotl(b, 30);
}

// Steps from to to - 1, all in one phase.
template <unsigned kPhase>
[[gnu::always_inline]] inline void forward(Working& s, const std::uint32_t w[80], unsigned from,
                                           unsigned to) {
  unsigned t = from;
  for (unsigned fives = (to - from) / 5; fives != 0; --fives, t += 5) {
    forward_step<kPhase>(s.a, s.b, s.c, s.d, s.e, w[t]);
    forward_step<kPhase>(s.e, s.a, s.b, s.c, s.d, w[t + 1]);
    forward_step<kPhase>(s.d, s.e, s.a, s.b, s.c, w[t + 2]);
    forward_step<kPhase>(s.c, s.d, s.e, s.a, s.b, w[t + 3]);
    forward_step<kPhase>(s.b, s.c, s.d, s.e, s.a, w[t + 4]);
  }
  for (unsigned more = (to - from) % 5; more != 0; --more, ++t) {
    forward_step<kPhase>(s.a, s.b, s.c, s.d, s.e, w[t]);
    s = Working{s.e, s.a, s.b, s.c, s.d};
  }
}

// Undoes a step, given the variables after it; a becomes the e before it. All but one of its terms
// are known earlier: mix<> of the e that the step undone before gave.
template <unsigned kPhase>
[[gnu::always_inline]] inline void backward_step(std::uint32_t& a, std::uint32_t b,
                                                 std::uint32_t& c, std::uint32_t d, std::uint32_t e,
                                                 std::uint32_t word) {
  c = std::rotr(c, 30);
  a = a - (kRoundConstant[kPhase] + word) - std::rotl(b, 5) - mix<kPhase>(c, d, e);
}

// Undoes the steps from - 1 to to, all in one phase.
template <unsigned kPhase>
[[gnu::always_inline]] inline void backward(Working& s, const std::uint32_t w[80], unsigned from,
                                            unsigned to) {
  unsigned t = from;
  for (unsigned fives = (from - to) / 5; fives != 0; --fives, t -= 5) {
    backward_step<kPhase>(s.a, s.b, s.c, s.d, s.e, w[t - 1]);
    backward_step<kPhase>(s.b, s.c, s.d, s.e, s.a, w[t - 2]);
    backward_step<kPhase>(s.c, s.d, s.e, s.a, s.b, w[t - 3]);
    backward_step<kPhase>(s.d, s.e, s.a, s.b, s.c, w[t - 4]);
    backward_step<kPhase>(s.e, s.a, s.b, s.c, s.d, w[t - 5]);
  }
  for (unsigned more = (from - to) % 5; more != 0; --more, --t) {
    backward_step<kPhase>(s.a, s.b, s.c, s.d, s.e, w[t - 1]);
    s = Working{s.b, s.c, s.d, s.e, s.a};
  }
}

inline void store(const Working& s, std::uint32_t state[5]) {
  state[0] = s.a;
  state[1] = s.b;
  state[2] = s.c;
  state[3] = s.d;
  state[4] = s.e;
}

// Whether entry i is a collision.
bool collides(const Suspects& suspects, unsigned i) {
  std::uint32_t w[80];
  for (unsigned t = 0; t < 16; ++t) w[t] = load_be32(suspects.twin[i] + 4 * t);
  expand(w);
  const auto& state = suspects.state;
  Working out = {state[0][i], state[1][i], state[2][i], state[3][i], state[4][i]};
  Working in = out;
  if (((suspects.late >> i) & 1) != 0) {
    forward<3>(out, w, kLateStep, 80);
    backward<3>(in, w, kLateStep, 60);
    backward<2>(in, w, 60, 40);
  } else {
    forward<2>(out, w, kEarlyStep, 60);
    forward<3>(out, w, 60, 80);
    backward<2>(in, w, kEarlyStep, 40);
  }
  backward<1>(in, w, 40, 20);
  backward<0>(in, w, 20, 0);
  return in.a + out.a == suspects.out[0][i] && in.b + out.b == suspects.out[1][i] &&
         in.c + out.c == suspects.out[2][i] && in.d + out.d == suspects.out[3][i] &&
         in.e + out.e == suspects.out[4][i];
}

// One condition, without a branch: takes its vectors out of `set` if it does not hold.
template <std::size_t kIndex>
[[gnu::always_inline]] inline void test(const std::uint32_t w[80], VectorSet& set) {
  constexpr Condition kC = kConditions[kIndex];
  const std::uint32_t broken = ((w[kC.i] >> kC.p) ^ (w[kC.j] >> kC.q) ^ kC.c) & 1;
  set &= ~(kC.vectors & (0 - broken));
}

template <std::size_t kFrom, std::size_t... kIndex>
[[gnu::always_inline]] inline void test_range(const std::uint32_t w[80], VectorSet& set,
                                              std::index_sequence<kIndex...>) {
  (test<kFrom + kIndex>(w, set), ...);
}

// The vectors that remain possible for an expanded message.
inline VectorSet judge(const std::uint32_t w[80]) {
  VectorSet set = ~VectorSet{0};
  test_range<0>(w, set, std::make_index_sequence<52>());
  test_range<52>(w, set, std::make_index_sequence<36>());
  if (set == 0) return 0;
  test_range<88>(w, set, std::make_index_sequence<kConditionCount - 88>());
  return set;
}

}  // namespace

std::uint32_t recompress_portable(const Suspects& suspects) {
  std::uint32_t hits = 0;
  for (unsigned i = 0; i < suspects.count; ++i) {
    hits |= static_cast<std::uint32_t>(collides(suspects, i)) << i;
  }
  return hits;
}

VectorSet judge_one(const std::uint32_t expanded[80]) { return judge(expanded); }

bool examine_block(const std::uint32_t before[5], const std::uint8_t* block) {
  std::uint32_t w[80];
  for (unsigned t = 0; t < 16; ++t) w[t] = load_be32(block + 4 * t);
  expand(w);
  const VectorSet set = judge(w);
  return set != 0 && recompress_block(before, block, set, recompress_portable);
}

bool recompress_block(const std::uint32_t before[5], const std::uint8_t* block, VectorSet set,
                      Recompress* recompress) {
  std::uint32_t w[80];
  for (unsigned t = 0; t < 16; ++t) w[t] = load_be32(block + 4 * t);
  expand(w);
  Working s = {before[0], before[1], before[2], before[3], before[4]};
  std::uint32_t early[5];
  std::uint32_t late[5];
  std::uint32_t out[5];
  forward<0>(s, w, 0, 20);
  forward<1>(s, w, 20, 40);
  forward<2>(s, w, 40, kEarlyStep);
  store(s, early);
  forward<2>(s, w, kEarlyStep, 60);
  forward<3>(s, w, 60, kLateStep);
  store(s, late);
  forward<3>(s, w, kLateStep, 80);
  store(s, out);
  for (unsigned i = 0; i < 5; ++i) out[i] += before[i];
  Suspects suspects;
  bool found = false;
  for (; set != 0; set &= set - 1) {
    const unsigned vector = static_cast<unsigned>(std::countr_zero(set));
    if (collision::add_suspect(suspects, block, vector, early, late, out, 1)) {
      found |= recompress(suspects) != 0;
      suspects.count = 0;
      suspects.late = 0;
    }
  }
  return (suspects.count != 0 && recompress(suspects) != 0) || found;
}

}  // namespace assay::sha1
