// The expansion and the 80 steps of a block written plainly, with the states that collision
// detection goes back to: the yardstick of its tests.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sha1/collision/vectors.h"
#include "sha1/padding.h"

namespace assay::sha1 {

using State = std::array<std::uint32_t, 5>;

// `block`: 64 bytes.
inline void expand(const std::uint8_t* block, std::uint32_t w[80]) {
  for (unsigned t = 0; t < 16; ++t) w[t] = load_be32(block + 4 * t);
  for (unsigned t = 16; t < 80; ++t) {
    w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
}

struct PlainSteps {
  State early;  // before step kEarlyStep
  State late;   // before step kLateStep
  State after;  // the chaining value after the block
};

inline PlainSteps plain_steps(const State& before, const std::uint32_t w[80]) {
  PlainSteps steps{};
  State s = before;
  for (unsigned t = 0; t < 80; ++t) {
    if (t == collision::kEarlyStep) steps.early = s;
    if (t == collision::kLateStep) steps.late = s;
    constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    const std::uint32_t f = t < 20              ? (s[1] & s[2]) | (~s[1] & s[3])
                            : t >= 40 && t < 60 ? (s[1] & s[2]) | (s[3] & (s[1] | s[2]))
                                                : s[1] ^ s[2] ^ s[3];
    const std::uint32_t next = std::rotl(s[0], 5) + f + s[4] + kConstants[t / 20] + w[t];
    s = {next, s[0], std::rotl(s[1], 30), s[2], s[3]};
  }
  for (unsigned i = 0; i < 5; ++i) steps.after[i] = before[i] + s[i];
  return steps;
}

}  // namespace assay::sha1
