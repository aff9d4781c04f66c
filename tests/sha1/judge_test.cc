// What kernels queue for recompression, and the conditions of the portable judge, against the plain
// yardstick.

#include <algorithm>
#include <bit>

#include "sha1/collision/judge.h"
#include "sha1/collision/vectors.h"
#include "sha1/cpu_features.h"
#include "sha1/kernels/kernels.h"
#include "tests/sha1/collision_blocks.h"
#include "tests/sha1/plain_steps.h"
#include "tests/sha1/support.h"

namespace assay::sha1 {
namespace {

#if defined(__x86_64__)

// The public pairs use one vector and stand at the beginning of a message. That the kernel for long
// messages also queues the right blocks with the right states, for every vector and at every place,
// is seen from the queue that it leaves.
void expect_the_right_suspects(CompressQueuing* compress, CpuFeatures needed) {
  if ((needed & ~cpu_features()) != 0) GTEST_SKIP() << "this kernel cannot run here";
  Random random(10);
  std::size_t tested = 0;
  for (int round = 0; round < 150; ++round) {
    // Some logs of groups, for a log is judged while the next one is filled. Zeros leave no vector;
    // so few blocks are random that the queue is not full.
    const std::size_t groups = 1 + random.below(45);
    Bytes blocks(groups * 16 * kBlockSize);
    for (std::size_t at = 0; at < blocks.size(); at += kBlockSize) {
      if (random.below(1 + groups / 8) != 0) continue;
      const Bytes block = random.bytes(kBlockSize);
      std::copy(block.begin(), block.end(), blocks.begin() + static_cast<std::ptrdiff_t>(at));
    }
    using Entry = std::array<std::uint32_t, 5 + 5 + 1 + 16>;
    std::vector<Entry> expected;
    State chain = kInitialState;
    for (std::size_t at = 0; at < blocks.size(); at += kBlockSize) {
      const std::uint8_t* block = blocks.data() + at;
      std::uint32_t w[80];
      expand(block, w);
      const PlainSteps steps = plain_steps(chain, w);
      chain = steps.after;
      collision::VectorSet set = judge_slowly(block);
      for (; set != 0; set &= set - 1) {
        const unsigned vector = static_cast<unsigned>(std::countr_zero(set));
        const bool late = collision::kVectors[vector].step == collision::kLateStep;
        Entry entry{};
        for (unsigned i = 0; i < 5; ++i) {
          entry[i] = (late ? steps.late : steps.early)[i];
          entry[5 + i] = chain[i];
        }
        entry[10] = late ? 1 : 0;
        for (unsigned t = 0; t < 16; ++t) {
          entry[11 + t] = w[t] ^ collision::kMessageDifference[vector][t];
        }
        expected.push_back(entry);
      }
    }
    if (expected.size() >= collision::Suspects::kCapacity) continue;
    collision::Suspects suspects;
    State state = kInitialState;
    EXPECT_FALSE(compress(state.data(), blocks.data(), 16 * groups, suspects));
    EXPECT_EQ(state, chain);
    std::vector<Entry> queued;
    for (unsigned i = 0; i < suspects.count; ++i) {
      Entry entry{};
      for (unsigned j = 0; j < 5; ++j) {
        entry[j] = suspects.state[j][i];
        entry[5 + j] = suspects.out[j][i];
      }
      entry[10] = suspects.late >> i & 1;
      for (unsigned t = 0; t < 16; ++t) entry[11 + t] = load_be32(suspects.twin[i] + 4 * t);
      queued.push_back(entry);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(queued.begin(), queued.end());
    EXPECT_EQ(queued, expected) << groups << " groups";
    tested += queued.size();
  }
  EXPECT_GT(tested, 200U);
}

TEST(LongMessageTest, QueuesTheRightSuspectsWithAvx512) {
  expect_the_right_suspects(compress_groups_sha_ni_avx512, kCpuShaNi | kCpuAvx512 | kCpuAvx512Ice);
}

TEST(LongMessageTest, QueuesTheRightSuspectsWithAvx2) {
  expect_the_right_suspects(compress_groups_sha_ni_avx2, kCpuShaNi | kCpuAvx2);
}

#endif

TEST(ConditionsTest, PortableJudgesTestEveryCondition) {
  Random random(8);
  unsigned alive = 0;
  for (int i = 0; i < 20000; ++i) {
    const Bytes block = mixed_blocks(random, 1);
    std::uint32_t w[80];
    expand(block.data(), w);
    const collision::VectorSet set = judge_slowly(block.data());
    EXPECT_EQ(judge_one(w), set);
    EXPECT_EQ(judge_by_runs(w), set);
    alive += set != 0;
  }
  EXPECT_GT(alive, 100U);
}

// The near-collision blocks of the public pairs leave exactly the vector that was used.
TEST(ConditionsTest, AttackBlocksLeaveTheirVector) {
  const unsigned used = 27;
  EXPECT_EQ(collision::kVectors[used].kind, collision::Kind::kTwo);
  EXPECT_EQ(collision::kVectors[used].k, 52);
  EXPECT_EQ(collision::kVectors[used].b, 0);
  for (const Attack& attack : attacks()) {
    unsigned blocks = 0;
    for (std::size_t at = 0; at < attack.message.size(); at += kBlockSize) {
      if (judge_slowly(attack.message.data() + at) == 1U << used) ++blocks;
    }
    EXPECT_GE(blocks, 2U) << attack.name;
  }
}

}  // namespace
}  // namespace assay::sha1
