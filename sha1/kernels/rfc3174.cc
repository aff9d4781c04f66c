// SHA-1 as the text of RFC 3174 says it, with no thought of speed: the row to compare others with.
//
// Section 6.1, method 1: a schedule of 80 words, the functions f(t;B,C,D) and constants K(t) of
// sections 5 and 4, five variables that move up at every step.

#include <cstddef>
#include <cstdint>

#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

// The circular left shift S^n(X), section 3.
std::uint32_t circular_shift(unsigned n, std::uint32_t x) { return x << n | x >> (32 - n); }

// Section 5.
std::uint32_t f(unsigned t, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (t < 20) return (b & c) | (~b & d);
  if (t < 40) return b ^ c ^ d;
  if (t < 60) return (b & c) | (b & d) | (c & d);
  return b ^ c ^ d;
}

// Section 5, "constants used".
std::uint32_t k(unsigned t) {
  if (t < 20) return 0x5a827999;
  if (t < 40) return 0x6ed9eba1;
  if (t < 60) return 0x8f1bbcdc;
  return 0xca62c1d6;
}

}  // namespace

void compress_rfc3174(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  for (; n != 0; --n, blocks += kBlockSize) {
    std::uint32_t w[80];
    // a. The block as sixteen words, the left-most first.
    for (unsigned t = 0; t < 16; ++t) {
      w[t] = 0;
      for (unsigned i = 0; i < 4; ++i) w[t] = w[t] << 8 | blocks[4 * t + i];
    }
    // b.
    for (unsigned t = 16; t < 80; ++t) {
      w[t] = circular_shift(1, w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]);
    }
    // c.
    std::uint32_t a = state[0];
    std::uint32_t b = state[1];
    std::uint32_t c = state[2];
    std::uint32_t d = state[3];
    std::uint32_t e = state[4];
    // d.
    for (unsigned t = 0; t < 80; ++t) {
      const std::uint32_t temp = circular_shift(5, a) + f(t, b, c, d) + e + w[t] + k(t);
      e = d;
      d = c;
      c = circular_shift(30, b);
      b = a;
      a = temp;
    }
    // e.
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
}

}  // namespace assay::sha1
