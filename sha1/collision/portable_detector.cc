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
using collision::kMessageDifference;
using collision::kVectors;
using collision::Suspect;
using collision::VectorSet;

constexpr std::uint32_t kRoundConstant[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

inline void expand(std::uint32_t w[80]) {
  for (unsigned t = 16; t < 80; ++t) {
    w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
}

inline std::uint32_t mix(unsigned t, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (t < 20) return d ^ (b & (c ^ d));
  if (t < 40 || t >= 60) return b ^ c ^ d;
  return (b & c) + (d & (b ^ c));
}

struct Working {
  std::uint32_t a, b, c, d, e;
};

inline void forward(Working& s, const std::uint32_t w[80], unsigned from, unsigned to) {
  for (unsigned t = from; t < to; ++t) {
    const std::uint32_t next =
        std::rotl(s.a, 5) + mix(t, s.b, s.c, s.d) + s.e + kRoundConstant[t / 20] + w[t];
    s = Working{next, s.a, std::rotl(s.b, 30), s.c, s.d};
  }
}

inline void backward(Working& s, const std::uint32_t w[80], unsigned from) {
  for (unsigned t = from; t-- > 0;) {
    const std::uint32_t b = std::rotr(s.c, 30);
    const std::uint32_t e =
        s.a - std::rotl(s.b, 5) - mix(t, b, s.d, s.e) - kRoundConstant[t / 20] - w[t];
    s = Working{s.b, b, s.d, s.e, e};
  }
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

bool recompress_one(const Suspect& suspect) {
  const collision::Vector& vector = kVectors[suspect.vector];
  const auto& difference = kMessageDifference[suspect.vector];
  std::uint32_t w[80];
  for (unsigned t = 0; t < 16; ++t) w[t] = suspect.message[t] ^ difference[t];
  expand(w);
  const std::uint32_t* s = suspect.state;
  Working out = {s[0], s[1], s[2], s[3], s[4]};
  Working in = out;
  forward(out, w, vector.step, 80);
  backward(in, w, vector.step);
  return in.a + out.a == suspect.out[0] && in.b + out.b == suspect.out[1] &&
         in.c + out.c == suspect.out[2] && in.d + out.d == suspect.out[3] &&
         in.e + out.e == suspect.out[4];
}

std::uint32_t recompress_portable(const Suspect* suspects, unsigned n) {
  std::uint32_t hits = 0;
  for (unsigned i = 0; i < n; ++i) {
    hits |= static_cast<std::uint32_t>(recompress_one(suspects[i])) << i;
  }
  return hits;
}

VectorSet judge_one(const std::uint32_t expanded[80]) { return judge(expanded); }

bool examine_block(const std::uint32_t before[5], const std::uint8_t* block) {
  std::uint32_t w[80];
  for (unsigned t = 0; t < 16; ++t) w[t] = load_be32(block + 4 * t);
  expand(w);
  VectorSet set = judge(w);
  if (set == 0) return false;

  Suspect suspect;
  for (unsigned t = 0; t < 16; ++t) suspect.message[t] = w[t];
  Working s = {before[0], before[1], before[2], before[3], before[4]};
  forward(s, w, 0, collision::kEarlyStep);
  const Working early = s;
  forward(s, w, collision::kEarlyStep, collision::kLateStep);
  const Working late = s;
  forward(s, w, collision::kLateStep, 80);
  const std::uint32_t after[5] = {s.a, s.b, s.c, s.d, s.e};
  for (unsigned i = 0; i < 5; ++i) suspect.out[i] = before[i] + after[i];
  for (; set != 0; set &= set - 1) {
    suspect.vector = static_cast<std::uint32_t>(std::countr_zero(set));
    const Working& from = kVectors[suspect.vector].step == collision::kEarlyStep ? early : late;
    suspect.state[0] = from.a;
    suspect.state[1] = from.b;
    suspect.state[2] = from.c;
    suspect.state[3] = from.d;
    suspect.state[4] = from.e;
    if (recompress_one(suspect)) return true;
  }
  return false;
}

bool compress_detecting_portable(std::uint32_t state[5], const std::uint8_t* blocks,
                                 std::size_t n) {
  bool found = false;
  for (; n != 0; --n, blocks += kBlockSize) {
    const std::uint32_t before[5] = {state[0], state[1], state[2], state[3], state[4]};
    compress_portable(state, blocks, 1);
    if (examine_block(before, blocks)) found = true;
  }
  return found;
}

}  // namespace assay::sha1
