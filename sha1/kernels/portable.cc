// SHA-1 in plain C++: the yardstick of all other kernels.
//
// FIPS 180-4, section 6.1.2, with the usual economies: the five working variables are renamed
// instead of moved, the message schedule is a ring of 16 words (section 6.1.3), Ch is written
// d ^ (b & (c ^ d)), which needs one operation less, and Maj as the sum of two terms that have no
// bit in common, (b & c) + (d & (b ^ c)), which lets the compiler add them one after another
// without waiting.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sha1/kernels/kernels.h"
#include "sha1/padding.h"

namespace assay::sha1 {
namespace {

struct Working {
  std::uint32_t v[5];
};

template <unsigned kStep>
[[gnu::always_inline]] inline void step(Working& w, std::uint32_t ring[16],
                                        const std::uint8_t* block) {
  // Step t finds its a in v[(80 - t) % 5], its b in the next, and so on; the new a replaces e.
  constexpr unsigned kA = (80 - kStep) % 5;
  std::uint32_t& a = w.v[kA];
  std::uint32_t& b = w.v[(kA + 1) % 5];
  std::uint32_t& c = w.v[(kA + 2) % 5];
  std::uint32_t& d = w.v[(kA + 3) % 5];
  std::uint32_t& e = w.v[(kA + 4) % 5];

  std::uint32_t word = 0;
  if constexpr (kStep < 16) {
    word = load_be32(block + 4 * kStep);
  } else {
    word = std::rotl(ring[(kStep - 3) % 16] ^ ring[(kStep - 8) % 16] ^ ring[(kStep - 14) % 16] ^
                         ring[kStep % 16],
                     1);
  }
  ring[kStep % 16] = word;

  e += word;
  if constexpr (kStep < 20) {
    e += 0x5a827999 + (d ^ (b & (c ^ d)));
  } else if constexpr (kStep < 40) {
    e += 0x6ed9eba1 + (b ^ c ^ d);
  } else if constexpr (kStep < 60) {
    e += 0x8f1bbcdc + (b & c);
    e += d & (b ^ c);
  } else {
    e += 0xca62c1d6 + (b ^ c ^ d);
  }
  e += std::rotl(a, 5);
  b = std::rotl(b, 30);
}

template <unsigned kFrom>
[[gnu::always_inline]] inline void twenty_steps(Working& w, std::uint32_t ring[16],
                                                const std::uint8_t* block) {
  step<kFrom + 0>(w, ring, block);
  step<kFrom + 1>(w, ring, block);
  step<kFrom + 2>(w, ring, block);
  step<kFrom + 3>(w, ring, block);
  step<kFrom + 4>(w, ring, block);
  step<kFrom + 5>(w, ring, block);
  step<kFrom + 6>(w, ring, block);
  step<kFrom + 7>(w, ring, block);
  step<kFrom + 8>(w, ring, block);
  step<kFrom + 9>(w, ring, block);
  step<kFrom + 10>(w, ring, block);
  step<kFrom + 11>(w, ring, block);
  step<kFrom + 12>(w, ring, block);
  step<kFrom + 13>(w, ring, block);
  step<kFrom + 14>(w, ring, block);
  step<kFrom + 15>(w, ring, block);
  step<kFrom + 16>(w, ring, block);
  step<kFrom + 17>(w, ring, block);
  step<kFrom + 18>(w, ring, block);
  step<kFrom + 19>(w, ring, block);
}

}  // namespace

void compress_portable(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  for (; n != 0; --n, blocks += kBlockSize) {
    Working w = {{state[0], state[1], state[2], state[3], state[4]}};
    std::uint32_t ring[16];
    twenty_steps<0>(w, ring, blocks);
    twenty_steps<20>(w, ring, blocks);
    twenty_steps<40>(w, ring, blocks);
    twenty_steps<60>(w, ring, blocks);
    for (unsigned i = 0; i < 5; ++i) state[i] += w.v[i];
  }
}

}  // namespace assay::sha1
