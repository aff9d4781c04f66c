// SHA-1 in the manner of Mozilla's NSS before 2009, which git took over at first: the message
// arrives byte by byte and is shifted into words, then 80 words are expanded, then the steps run;
// and the same with the steps scheduled for the processor, as proposed on the git list in August
// 2009. Both are here to be compared with; see kernels/blk.cc for what followed.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return ((c ^ d) & b) ^ d;
}
std::uint32_t parity(std::uint32_t b, std::uint32_t c, std::uint32_t d) { return b ^ c ^ d; }
std::uint32_t majority(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return (b & c) | (d & (b | c));
}

using Mix = std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t);

// The words of the message collect its bytes one at a time; what they held before is shifted out.
void take_bytes(std::uint32_t w[80], const std::uint8_t* block) {
  for (unsigned length = 0; length < kBlockSize; ++length) {
    w[length / 4] = w[length / 4] << 8 | block[length];
  }
}

std::uint32_t expanded(const std::uint32_t w[80], unsigned t) {
  return std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
}

struct Working {
  std::uint32_t a, b, c, d, e;
};

// Twenty steps whose variables move at every step.
template <Mix* kMix, std::uint32_t kConstant, unsigned kFrom>
[[gnu::always_inline]] inline void rounds(Working& s, const std::uint32_t w[80]) {
  for (unsigned t = kFrom; t < kFrom + 20; ++t) {
    const std::uint32_t temp = std::rotl(s.a, 5) + kMix(s.b, s.c, s.d) + s.e + w[t] + kConstant;
    s = Working{temp, s.a, std::rotl(s.b, 30), s.c, s.d};
  }
}

// One step whose variables stay where they are: the new a replaces e. The word of a later step is
// expanded beside it, and of the sum what is known first is added first, so that only the rotated
// a, which the step before has just made, comes late.
template <Mix* kMix, std::uint32_t kConstant>
[[gnu::always_inline]] inline void scheduled_step(std::uint32_t a, std::uint32_t& b,
                                                  std::uint32_t c, std::uint32_t d,
                                                  std::uint32_t& e, std::uint32_t w[80],
                                                  unsigned t) {
  e += w[t] + kConstant;
  e += kMix(b, c, d);
  if (t + 16 < 80) w[t + 16] = expanded(w, t + 16);
  e += std::rotl(a, 5);
  b = std::rotl(b, 30);
}

template <Mix* kMix, std::uint32_t kConstant, unsigned kFrom>
[[gnu::always_inline]] inline void scheduled_rounds(Working& s, std::uint32_t w[80]) {
  for (unsigned t = kFrom; t < kFrom + 20; t += 5) {
    scheduled_step<kMix, kConstant>(s.a, s.b, s.c, s.d, s.e, w, t);
    scheduled_step<kMix, kConstant>(s.e, s.a, s.b, s.c, s.d, w, t + 1);
    scheduled_step<kMix, kConstant>(s.d, s.e, s.a, s.b, s.c, w, t + 2);
    scheduled_step<kMix, kConstant>(s.c, s.d, s.e, s.a, s.b, w, t + 3);
    scheduled_step<kMix, kConstant>(s.b, s.c, s.d, s.e, s.a, w, t + 4);
  }
}

void add(std::uint32_t state[5], const Working& s) {
  state[0] += s.a;
  state[1] += s.b;
  state[2] += s.c;
  state[3] += s.d;
  state[4] += s.e;
}

}  // namespace

void compress_mozilla(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  std::uint32_t w[80] = {};
  for (; n != 0; --n, blocks += kBlockSize) {
    take_bytes(w, blocks);
    for (unsigned t = 16; t < 80; ++t) w[t] = expanded(w, t);
    Working s = {state[0], state[1], state[2], state[3], state[4]};
    rounds<choose, 0x5a827999, 0>(s, w);
    rounds<parity, 0x6ed9eba1, 20>(s, w);
    rounds<majority, 0x8f1bbcdc, 40>(s, w);
    rounds<parity, 0xca62c1d6, 60>(s, w);
    add(state, s);
  }
}

void compress_mozilla_scheduled(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  std::uint32_t w[80] = {};
  for (; n != 0; --n, blocks += kBlockSize) {
    take_bytes(w, blocks);
    Working s = {state[0], state[1], state[2], state[3], state[4]};
    scheduled_rounds<choose, 0x5a827999, 0>(s, w);
    scheduled_rounds<parity, 0x6ed9eba1, 20>(s, w);
    scheduled_rounds<majority, 0x8f1bbcdc, 40>(s, w);
    scheduled_rounds<parity, 0xca62c1d6, 60>(s, w);
    add(state, s);
  }
}

}  // namespace assay::sha1
