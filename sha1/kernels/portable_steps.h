#ifndef ASSAY_SHA1_KERNELS_PORTABLE_STEPS_H_
#define ASSAY_SHA1_KERNELS_PORTABLE_STEPS_H_

#include <bit>
#include <cstdint>
#include <utility>

#include "sha1/padding.h"

/// The steps of the compression in plain C++ (FIPS 180-4, section 6.1.2), with the usual economies:
/// the five working variables are renamed instead of moved, Ch is written d ^ (b & (c ^ d)), which
/// needs one operation less, and Maj as the sum of two terms that have no bit in common,
/// (b & c) + (d & (b ^ c)), which lets the compiler add them one after another without waiting.
namespace assay::sha1::portable {

struct Working {
  std::uint32_t v[5];
};

/// Working variable i (0 is a) before step kStep is v[renamed(kStep, i)].
constexpr unsigned renamed(unsigned step, unsigned i) { return ((80 - step) % 5 + i) % 5; }

/// Step kStep with message word `word`.
template <unsigned kStep>
[[gnu::always_inline]] inline void step_with(Working& w, std::uint32_t word) {
  std::uint32_t& a = w.v[renamed(kStep, 0)];
  std::uint32_t& b = w.v[renamed(kStep, 1)];
  std::uint32_t& c = w.v[renamed(kStep, 2)];
  std::uint32_t& d = w.v[renamed(kStep, 3)];
  std::uint32_t& e = w.v[renamed(kStep, 4)];  // the new a replaces it

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

/// As step_with, and makes the message word. `words` keeps the last kWords of them, word t at t %
/// kWords: 16 suffice for hashing (section 6.1.3), 80 keep them all.
template <unsigned kStep, unsigned kWords>
[[gnu::always_inline]] inline void step(Working& w, std::uint32_t words[kWords],
                                        const std::uint8_t* block) {
  std::uint32_t word = 0;
  if constexpr (kStep < 16) {
    word = load_be32(block + 4 * kStep);
  } else {
    word = std::rotl(words[(kStep - 3) % kWords] ^ words[(kStep - 8) % kWords] ^
                         words[(kStep - 14) % kWords] ^ words[(kStep - 16) % kWords],
                     1);
  }
  words[kStep % kWords] = word;
  step_with<kStep>(w, word);
}

/// Steps kFrom to kFrom + sizeof...(kIndex) - 1.
template <unsigned kFrom, unsigned kWords, std::size_t... kIndex>
[[gnu::always_inline]] inline void steps(Working& w, std::uint32_t words[kWords],
                                         const std::uint8_t* block,
                                         std::index_sequence<kIndex...>) {
  (step<kFrom + kIndex, kWords>(w, words, block), ...);
}

}  // namespace assay::sha1::portable

#endif  // ASSAY_SHA1_KERNELS_PORTABLE_STEPS_H_
