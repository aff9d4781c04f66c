#include "tests/sha1/collision_blocks.h"

#include <algorithm>
#include <cstring>

#include "fixtures/collision_pairs.h"
#include "sha1/collision/conditions.h"
#include "sha1/padding.h"
#include "tests/sha1/plain_steps.h"

namespace assay::sha1 {

std::vector<Attack> attacks() {
  return {{"shattered-1", from_hex(kShattered1), kShatteredSha1},
          {"shattered-2", from_hex(kShattered2), kShatteredSha1},
          {"shambles-1", from_hex(kShambles1), kShamblesSha1},
          {"shambles-2", from_hex(kShambles2), kShamblesSha1}};
}

collision::VectorSet judge_slowly(const std::uint8_t* block) {
  std::uint32_t w[80];
  expand(block, w);
  collision::VectorSet set = ~collision::VectorSet{0};
  for (const collision::Condition& c : collision::kConditions) {
    if ((((w[c.i] >> c.p) ^ (w[c.j] >> c.q)) & 1) != c.c) set &= ~c.vectors;
  }
  return set;
}

Bytes mixed_blocks(Random& random, std::size_t count) {
  const std::vector<Attack> known = attacks();
  Bytes blocks;
  for (std::size_t n = 0; n < count; ++n) {
    Bytes block(kBlockSize);
    switch (random.below(8)) {
      case 0:  // zeros, ones and other constant bytes
        std::fill(block.begin(), block.end(),
                  static_cast<std::uint8_t>(random.below(3) == 0 ? random.next() : 0));
        break;
      case 1: {  // padding
        const std::uint8_t zeros[kBlockSize] = {};
        std::uint8_t tail[kTailRoom];
        write_tail(tail, zeros, random.below(55) + 64 * random.below(1000));
        std::copy_n(tail, kBlockSize, block.begin());
        break;
      }
      case 2:  // text
        for (std::uint8_t& byte : block) {
          byte = static_cast<std::uint8_t>("etaoin shrdlu\n"[random.below(14)]);
        }
        break;
      case 3: {  // sparse
        std::fill(block.begin(), block.end(), std::uint8_t{0});
        for (int i = 0; i < 4; ++i) {
          block[random.below(64)] ^= static_cast<std::uint8_t>(1U << random.below(8));
        }
        break;
      }
      case 4:
      case 5: {  // a block of an attack, often with a few bits changed
        const Bytes& message = known[random.below(known.size())].message;
        const std::size_t at = random.below(message.size() / kBlockSize) * kBlockSize;
        std::memcpy(block.data(), message.data() + at, kBlockSize);
        for (std::uint64_t i = random.below(4); i > 0; --i) {
          block[random.below(64)] ^= static_cast<std::uint8_t>(1U << random.below(8));
        }
        break;
      }
      default:
        block = random.bytes(kBlockSize);
    }
    blocks.insert(blocks.end(), block.begin(), block.end());
  }
  return blocks;
}

}  // namespace assay::sha1
