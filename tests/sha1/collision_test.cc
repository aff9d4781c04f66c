// Detection of collision attacks: every kernel finds the public pairs, and agrees with the portable
// detector on everything else.

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "sha1/batch.h"
#include "sha1/collision/conditions.h"
#include "sha1/collision/judge.h"
#include "sha1/collision/vectors.h"
#include "sha1/kernels/kernels.h"
#include "sha1/padding.h"
#include "sha1/sha1.h"
#include "tests/sha1/collision_blocks.h"
#include "tests/sha1/plain_steps.h"
#include "tests/sha1/support.h"

namespace assay::sha1 {
namespace {

class CollisionTest : public PerKernel {};
INSTANTIATE_TEST_SUITE_P(All, CollisionTest, ::testing::ValuesIn(all_kernel_names()),
                         kernel_test_name);

TEST_P(CollisionTest, FindsThePublicPairsAlone) {
  for (const Attack& attack : attacks()) {
    Hasher hasher(Detect::kOn, kernels());
    hasher.update(attack.message);
    const Result result = hasher.finish();
    EXPECT_TRUE(result.collision) << attack.name;
    EXPECT_EQ(to_hex(result.digest), attack.sha1) << attack.name;
    // The finding belongs to the message, not to the hasher.
    hasher.update(bytes_of("abc"));
    EXPECT_FALSE(hasher.finish().collision);

    Hasher blind(Detect::kOff, kernels());
    blind.update(attack.message);
    const Result unseen = blind.finish();
    EXPECT_FALSE(unseen.collision) << attack.name;
    EXPECT_EQ(to_hex(unseen.digest), attack.sha1) << attack.name;
  }
}

TEST_P(CollisionTest, FindsThemInPieces) {
  for (const Attack& attack : attacks()) {
    for (std::size_t piece = 1; piece < 330; piece += 1 + piece / 5) {
      Hasher hasher(Detect::kOn, kernels());
      for (std::size_t at = 0; at < attack.message.size(); at += piece) {
        hasher.update(attack.message.data() + at, std::min(piece, attack.message.size() - at));
      }
      EXPECT_TRUE(hasher.finish().collision) << attack.name << " in pieces of " << piece;
    }
  }
}

TEST_P(CollisionTest, FindsThemBeforeLongEndings) {
  Random random(1);
  for (const Attack& attack : attacks()) {
    for (std::size_t more = 0; more < 2600; more += 1 + more / 6) {
      Bytes message = attack.message;
      const Bytes end = random.bytes(more);
      message.insert(message.end(), end.begin(), end.end());
      Hasher hasher(Detect::kOn, kernels());
      hasher.update(message);
      EXPECT_TRUE(hasher.finish().collision) << attack.name << " and " << more << " bytes";
      EXPECT_TRUE(digest_of(message, Detect::kOn, kernels()).collision) << attack.name;
      EXPECT_FALSE(digest_of(message, Detect::kOff, kernels()).collision) << attack.name;
    }
  }
}

// Longer than what the kernels hash and judge as groups.
TEST_P(CollisionTest, FindsThemBeforeVeryLongEndings) {
  Random random(9);
  for (const Attack& attack : attacks()) {
    for (const std::size_t more : {3000, 4096, 8192, 9000, 40000}) {
      Bytes message = attack.message;
      const Bytes end = random.bytes(more);
      message.insert(message.end(), end.begin(), end.end());
      Hasher hasher(Detect::kOn, kernels());
      hasher.update(message);
      const Result result = hasher.finish();
      EXPECT_TRUE(result.collision) << attack.name << " and " << more << " bytes";
      EXPECT_EQ(to_hex(result.digest), to_hex(reference_sha1(message)));
    }
  }
}

// An attack holds for its chaining value only: the same blocks elsewhere are sound.
TEST_P(CollisionTest, IsSilentElsewhere) {
  for (const Attack& attack : attacks()) {
    Hasher hasher(Detect::kOn, kernels());
    hasher.update(Bytes(64, 0));
    hasher.update(attack.message);
    EXPECT_FALSE(hasher.finish().collision) << attack.name;
  }
}

TEST_P(CollisionTest, OneMessageAgreesWithPortableOnMixedBlocks) {
  Random random(2);
  CompressDetecting* const portable = find_kernels("portable")->compress_detecting;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random.below(40);
    const Bytes blocks = mixed_blocks(random, n);
    State expected = kInitialState;
    State state = kInitialState;
    const bool found = portable(expected.data(), blocks.data(), n);
    EXPECT_EQ(kernels().compress_detecting(state.data(), blocks.data(), n), found);
    EXPECT_EQ(state, expected);
  }
}

// Attack blocks on their right chaining value, with bits flipped, among other blocks.
TEST_P(CollisionTest, OneMessageAgreesWithPortableOnMutatedAttacks) {
  Random random(3);
  CompressDetecting* const portable = find_kernels("portable")->compress_detecting;
  const std::vector<Attack> known = attacks();
  unsigned hits = 0;
  for (int round = 0; round < 2000; ++round) {
    const Attack& attack = known[random.below(known.size())];
    Bytes message = attack.message;
    // Mostly in the last blocks, so that the first near-collision block stays whole.
    for (std::uint64_t i = random.below(3); i > 0; --i) {
      const std::size_t at = message.size() - 1 - random.below(message.size() / 3);
      message[at] ^= static_cast<std::uint8_t>(1U << random.below(8));
    }
    const Bytes more = mixed_blocks(random, random.below(30));
    message.insert(message.end(), more.begin(), more.end());
    State expected = kInitialState;
    State state = kInitialState;
    const std::size_t n = message.size() / kBlockSize;
    const bool found = portable(expected.data(), message.data(), n);
    hits += found;
    EXPECT_EQ(kernels().compress_detecting(state.data(), message.data(), n), found);
    EXPECT_EQ(state, expected);
  }
  EXPECT_GT(hits, 100U);
}

TEST_P(CollisionTest, LanesLeaveTheSameVectorsAsTheConditions) {
  if (kernels().lanes == 0) return;
  Random random(4);
  auto log = std::make_unique<collision::LaneLog>();
  std::vector<collision::Survivor> survivors(collision::kMaxSurvivors);
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 1 + random.below(collision::kLogRows);
    Bytes message[kMaxLanes];
    const std::uint8_t* blocks[kMaxLanes] = {};
    LaneState state;
    for (unsigned lane = 0; lane < kernels().lanes; ++lane) {
      message[lane] = mixed_blocks(random, rows);
      blocks[lane] = message[lane].data();
      for (unsigned i = 0; i < 5; ++i) {
        state.word[i][lane] = static_cast<std::uint32_t>(random.next());
      }
    }
    const LaneState before = state;
    log->rows = 0;
    kernels().compress_lanes_logging(state, blocks, rows, *log);
    ASSERT_EQ(log->rows, rows);
    const unsigned count = kernels().judge_lanes(*log, survivors.data());

    collision::VectorSet found[collision::kLogRows][kMaxLanes] = {};
    for (unsigned i = 0; i < count; ++i) {
      const collision::VectorSet bit = collision::VectorSet{1} << survivors[i].vector;
      collision::VectorSet& set = found[survivors[i].row][survivors[i].lane];
      EXPECT_EQ(set & bit, 0U) << "twice";
      set |= bit;
    }
    for (unsigned lane = 0; lane < kernels().lanes; ++lane) {
      State chain;
      for (unsigned i = 0; i < 5; ++i) chain[i] = before.word[i][lane];
      for (std::size_t row = 0; row < rows; ++row) {
        EXPECT_EQ(found[row][lane], judge_slowly(blocks[lane] + row * kBlockSize))
            << "row " << row << ", lane " << lane;
        find_kernels("portable")->compress(chain.data(), blocks[lane] + row * kBlockSize, 1);
        for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(log->row[row].out[i][lane], chain[i]);
      }
    }
  }
}

// Suspects made of real attack blocks and of others, in every position and number.
TEST_P(CollisionTest, RecompressAgreesWithPortable) {
  Random random(5);
  const std::vector<Attack> known = attacks();
  unsigned hits = 0;
  for (int round = 0; round < 500; ++round) {
    collision::Suspects suspects;
    const std::uint64_t count = 1 + random.below(collision::Suspects::kCapacity);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Attack& attack = known[random.below(known.size())];
      const std::size_t blocks = attack.message.size() / kBlockSize;
      const std::size_t at = random.below(blocks);
      State chain = kInitialState;
      compress_portable(chain.data(), attack.message.data(), at);
      std::uint32_t w[80];
      expand(attack.message.data() + at * kBlockSize, w);
      State early{};
      State late{};
      std::uint32_t s[5] = {chain[0], chain[1], chain[2], chain[3], chain[4]};
      for (unsigned t = 0; t < 80; ++t) {
        if (t == collision::kEarlyStep) std::copy(s, s + 5, early.begin());
        if (t == collision::kLateStep) std::copy(s, s + 5, late.begin());
        const std::uint32_t f = t < 20              ? (s[1] & s[2]) | (~s[1] & s[3])
                                : t >= 40 && t < 60 ? (s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3])
                                                    : s[1] ^ s[2] ^ s[3];
        constexpr std::uint32_t kConstants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        const std::uint32_t next = std::rotl(s[0], 5) + f + s[4] + kConstants[t / 20] + w[t];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = std::rotl(s[1], 30);
        s[1] = s[0];
        s[0] = next;
      }
      State out = chain;
      for (unsigned j = 0; j < 5; ++j) out[j] += s[j];
      const unsigned vector = random.below(2) == 0 ? 27 : static_cast<unsigned>(random.below(32));
      collision::add_suspect(suspects, attack.message.data() + at * kBlockSize, vector,
                             early.data(), late.data(), out.data(), 1);
    }
    const std::uint32_t expected = recompress_portable(suspects);
    hits += static_cast<unsigned>(std::popcount(expected));
    EXPECT_EQ(kernels().recompress(suspects), expected);
  }
  EXPECT_GT(hits, 100U);
}

TEST_P(CollisionTest, BatchFindsThemAmongOthersAndNothingElse) {
  Random random(6);
  const std::vector<Attack> known = attacks();
  struct Message {
    Job job;
    Bytes body;
    Digest expected;
    bool attack;
  };
  for (int round = 0; round < 6; ++round) {
    std::vector<std::unique_ptr<Message>> messages;
    Batch batch(kernels());
    unsigned returned = 0;
    const auto take = [&] {
      while (Job* job = batch.poll()) {
        const auto found =
            std::find_if(messages.begin(), messages.end(),
                         [job](const auto& message) { return &message->job == job; });
        ASSERT_NE(found, messages.end());
        EXPECT_EQ(job->collision, (*found)->attack);
        EXPECT_EQ(to_hex(job->digest), to_hex((*found)->expected));
        std::fill((*found)->body.begin(), (*found)->body.end(), std::uint8_t{0xdd});
        ++returned;
      }
    };
    for (int i = 0; i < 400; ++i) {
      auto message = std::make_unique<Message>();
      message->attack = random.below(10) == 0;
      if (message->attack) {
        message->body = known[random.below(known.size())].message;
        // An attack may also begin in the header.
        message->job.header_size = static_cast<std::uint8_t>(random.below(33));
        std::copy_n(message->body.begin(), message->job.header_size, message->job.header.begin());
      }
      const std::size_t more = random.below(i % 7 == 0 ? 200 : 20);
      const Bytes end = mixed_blocks(random, more);
      message->body.insert(message->body.end(), end.begin(), end.end());
      message->body.resize(message->body.size() + random.below(64));
      message->expected = reference_sha1(message->body);
      message->body.erase(message->body.begin(), message->body.begin() + message->job.header_size);
      message->job.body = message->body.data();
      message->job.body_size = message->body.size();
      messages.push_back(std::move(message));
      batch.submit(&messages.back()->job);
      take();
    }
    batch.finish();
    take();
    EXPECT_EQ(returned, messages.size());
  }
}

// Blocks that leave many vectors, all alike: the queue of suspects fills and empties in the middle
// of a judgement, and jobs wait for it.
TEST_P(CollisionTest, BatchSettlesManySuspectsAndNone) {
  Random random(7);
  for (const bool suspicious : {false, true}) {
    Bytes block(kBlockSize, 0);
    if (suspicious) {
      while (std::popcount(judge_slowly(block.data())) < 2) block = random.bytes(kBlockSize);
    } else {
      while (judge_slowly(block.data()) != 0) block = random.bytes(kBlockSize);
    }
    Bytes body;
    for (int i = 0; i < 30; ++i) body.insert(body.end(), block.begin(), block.end());
    const Digest expected = reference_sha1(body);
    Batch batch(kernels());
    std::vector<Job> jobs(500);
    std::size_t returned = 0;
    std::size_t most = 0;
    for (Job& job : jobs) {
      job.body = body.data();
      job.body_size = body.size();
      batch.submit(&job);
      most = std::max(most, batch.pending());
      while (const Job* done = batch.poll()) {
        EXPECT_EQ(to_hex(done->digest), to_hex(expected));
        EXPECT_FALSE(done->collision);
        ++returned;
      }
    }
    EXPECT_LT(most, 300U);
    batch.finish();
    while (batch.poll() != nullptr) ++returned;
    EXPECT_EQ(returned, jobs.size());
  }
}

}  // namespace
}  // namespace assay::sha1
