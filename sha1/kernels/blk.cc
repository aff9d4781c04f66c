// SHA-1 with the idea that made git's own code twice as fast in August 2009: no array of 80 words,
// whose loads and stores cost more than its computation, but a ring of sixteen; the words of the
// message are loaded when they are needed; all 80 steps written out, so that no variable moves.
//
// Three variants, to be compared: the usual one; `f1_or` with Ch as FIPS 180-4 writes it,
// (b & c) | (~b & d), where the others have d ^ (b & (c ^ d)), one operation less; and `late_k`,
// which adds the round constant after everything else, as A. Skawina proposed. Compilers know that
// additions may change places, and would make one of all of them; late_k therefore hides the sum
// before the constant from them. That was faster on a Pentium 4. Today it is slower, because the
// constant then stands between one a and the next, where otherwise only a rotation and one addition
// are.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sha1/kernels/kernels.h"
#include "sha1/padding.h"

namespace assay::sha1 {
namespace {

enum class Variant { kUsual, kF1Or, kLateConstant };

template <Variant kVariant, unsigned kStep>
[[gnu::always_inline]] inline std::uint32_t mix(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (kStep < 20) {
    if constexpr (kVariant == Variant::kF1Or) {
      std::uint32_t chosen = b & c;
      // gcc and clang know that the two forms are one, and would write this one as the other.
      __asm__("" : "+r"(chosen));
      return chosen | (~b & d);
    }
    return d ^ (b & (c ^ d));
  }
  if constexpr (kStep >= 40 && kStep < 60) return (b & c) + (d & (b ^ c));
  return b ^ c ^ d;
}

constexpr std::uint32_t kConstant[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

// Step t finds its a in v[(80 - t) % 5], its b in the next, and so on; the new a replaces e.
template <Variant kVariant, unsigned kStep>
[[gnu::always_inline]] inline void step(std::uint32_t v[5], std::uint32_t ring[16],
                                        const std::uint8_t* block) {
  constexpr unsigned kA = (80 - kStep) % 5;
  const std::uint32_t a = v[kA];
  std::uint32_t& b = v[(kA + 1) % 5];
  const std::uint32_t c = v[(kA + 2) % 5];
  const std::uint32_t d = v[(kA + 3) % 5];
  std::uint32_t& e = v[(kA + 4) % 5];
  std::uint32_t word = 0;
  if constexpr (kStep < 16) {
    word = load_be32(block + std::size_t{4} * kStep);
  } else {
    word = std::rotl(ring[(kStep + 13) % 16] ^ ring[(kStep + 8) % 16] ^ ring[(kStep + 2) % 16] ^
                         ring[kStep % 16],
                     1);
  }
  ring[kStep % 16] = word;
  if constexpr (kVariant == Variant::kLateConstant) {
    std::uint32_t sum = e + word + std::rotl(a, 5) + mix<kVariant, kStep>(b, c, d);
    __asm__("" : "+r"(sum));
    e = sum + kConstant[kStep / 20];
  } else {
    e += word + std::rotl(a, 5) + mix<kVariant, kStep>(b, c, d) + kConstant[kStep / 20];
  }
  b = std::rotl(b, 30);
}

template <Variant kVariant, unsigned... kStep>
[[gnu::always_inline]] inline void steps(std::uint32_t v[5], const std::uint8_t* block,
                                         std::integer_sequence<unsigned, kStep...>) {
  std::uint32_t ring[16];
  (step<kVariant, kStep>(v, ring, block), ...);
}

template <Variant kVariant>
[[gnu::always_inline]] inline void compress(std::uint32_t state[5], const std::uint8_t* blocks,
                                            std::size_t n) {
  for (; n != 0; --n, blocks += kBlockSize) {
    std::uint32_t v[5] = {state[0], state[1], state[2], state[3], state[4]};
    steps<kVariant>(v, blocks, std::make_integer_sequence<unsigned, 80>());
    for (unsigned i = 0; i < 5; ++i) state[i] += v[i];
  }
}

}  // namespace

void compress_blk(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  compress<Variant::kUsual>(state, blocks, n);
}

void compress_blk_f1_or(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  compress<Variant::kF1Or>(state, blocks, n);
}

void compress_blk_late_k(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  compress<Variant::kLateConstant>(state, blocks, n);
}

}  // namespace assay::sha1
