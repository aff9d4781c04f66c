#if defined(__x86_64__)

#include "sha1/kernels/x86_64/block_log.h"

#include <bit>

#include "sha1/collision/families.h"
#include "sha1/collision/vectors.h"

namespace assay::sha1 {
namespace {

// Single steps, to get from a multiple of four to the step of a vector.
struct Working {
  std::uint32_t v[5];

  template <unsigned kStep>
  void step(std::uint32_t word) {
    static_assert(kStep >= 40);
    constexpr std::uint32_t kConstant = kStep < 60 ? 0x8f1bbcdc : 0xca62c1d6;
    const std::uint32_t mix =
        kStep < 60 ? (v[1] & v[2]) | (v[3] & (v[1] | v[2])) : v[1] ^ v[2] ^ v[3];
    const std::uint32_t next = std::rotl(v[0], 5) + mix + v[4] + kConstant + word;
    v[4] = v[3];
    v[3] = v[2];
    v[2] = std::rotl(v[1], 30);
    v[1] = v[0];
    v[0] = next;
  }
};

Working working_at(const BlockStates& states, unsigned which) {
  const std::uint32_t* abcd = states.abcd[which];
  return {{abcd[3], abcd[2], abcd[1], abcd[0], std::rotl(states.previous[which][3], 30)}};
}

}  // namespace

bool take_vector(const BlockStates& states, const WordsToVectors& words, const std::uint8_t* block,
                 unsigned vector, collision::Suspects& suspects, Recompress* recompress) {
  static_assert(collision::kEarlyStep == 58 && collision::kLateStep == 65);
  Working early = working_at(states, 0);
  early.step<56>(words.word56);
  early.step<57>(words.word57);
  Working late = working_at(states, 1);
  late.step<64>(words.word64);
  const std::uint32_t out[5] = {states.out_abcd[3], states.out_abcd[2], states.out_abcd[1],
                                states.out_abcd[0], states.out_e[3]};
  if (!collision::add_suspect(suspects, block, vector, early.v, late.v, out, 1)) return false;
  const bool found = recompress(suspects) != 0;
  suspects.count = 0;
  suspects.late = 0;
  return found;
}

bool take_suspect(const BlockLog& log, const std::uint8_t* block, std::uint32_t result,
                  collision::Suspects& suspects, Recompress* recompress) {
  const WordsToVectors words = {log.word(56), log.word(57), log.word(64)};
  bool found = false;
  for (std::uint32_t left = ~result; left != 0; left &= left - 1) {
    const unsigned vector = collision::kVectorOfBit[std::countr_zero(left)];
    found |= take_vector(log, words, block, vector, suspects, recompress);
  }
  return found;
}

}  // namespace assay::sha1

#endif
