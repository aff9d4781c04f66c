// Blocks for the tests of collision detection, and the conditions judged one bit at a time.
#pragma once

#include <vector>

#include "sha1/collision/vectors.h"
#include "tests/sha1/support.h"

namespace assay::sha1 {

// A message of a public pair, cut after its near-collision blocks.
struct Attack {
  const char* name;
  Bytes message;
  const char* sha1;
};

std::vector<Attack> attacks();

// Returns: the vectors that the conditions leave for a block of 64 bytes.
collision::VectorSet judge_slowly(const std::uint8_t* block);

// Blocks of many kinds, also of those that pass many conditions: `count` times 64 bytes.
Bytes mixed_blocks(Random& random, std::size_t count);

}  // namespace assay::sha1
