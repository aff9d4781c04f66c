// One test body for all kernels: the compression functions themselves.

#include "sha1/kernel.h"

#include <algorithm>
#include <cstring>

#include "sha1/collision/judge.h"
#include "tests/sha1/support.h"

namespace assay::sha1 {
namespace {

using State = std::array<std::uint32_t, 5>;

State portable(State state, const std::uint8_t* blocks, std::size_t n) {
  find_kernels("portable")->compress(state.data(), blocks, n);
  return state;
}

State random_state(Random& random) {
  State state;
  for (std::uint32_t& word : state) word = static_cast<std::uint32_t>(random.next());
  return state;
}

class KernelTest : public PerKernel {};
INSTANTIATE_TEST_SUITE_P(All, KernelTest, ::testing::ValuesIn(all_kernel_names()),
                         kernel_test_name);

TEST_P(KernelTest, OneMessageEqualsPortableForEveryCountOfBlocks) {
  Random random(1);
  for (std::size_t n = 0; n <= 70; ++n) {
    const Bytes blocks = random.bytes(n * kBlockSize);
    const State before = random_state(random);
    const State expected = portable(before, blocks.data(), n);
    State plain = before;
    kernels().compress(plain.data(), blocks.data(), n);
    EXPECT_EQ(plain, expected) << n << " blocks";
    State detecting = before;
    EXPECT_FALSE(kernels().compress_detecting(detecting.data(), blocks.data(), n));
    EXPECT_EQ(detecting, expected) << n << " blocks, detecting";
  }
}

TEST_P(KernelTest, OneMessageReadsItsBlocksOnly) {
  GuardedBuffer buffer(40 * kBlockSize);
  for (const std::size_t n : {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33}) {
    for (const bool at_end : {false, true}) {
      const std::size_t size = n * kBlockSize;
      const auto blocks = at_end ? buffer.at_end(size) : buffer.at_start(size);
      Random random(n);
      for (std::uint8_t& byte : blocks) byte = static_cast<std::uint8_t>(random.next());
      const State expected = portable(kInitialState, blocks.data(), n);
      State state = kInitialState;
      kernels().compress(state.data(), blocks.data(), n);
      EXPECT_EQ(state, expected);
      state = kInitialState;
      kernels().compress_detecting(state.data(), blocks.data(), n);
      EXPECT_EQ(state, expected);
    }
  }
}

TEST_P(KernelTest, LanesEqualPortable) {
  if (kernels().lanes == 0) return;
  Random random(2);
  collision::LaneLog log;
  for (std::size_t rows = 0; rows <= collision::kLogRows; ++rows) {
    LaneState before;
    Bytes message[kMaxLanes];
    const std::uint8_t* blocks[kMaxLanes] = {};
    State expected[kMaxLanes];
    for (unsigned lane = 0; lane < kernels().lanes; ++lane) {
      const std::size_t alignment = random.below(64);
      message[lane] = random.bytes(alignment + rows * kBlockSize);
      blocks[lane] = message[lane].data() + alignment;
      const State state = random_state(random);
      for (unsigned i = 0; i < 5; ++i) before.word[i][lane] = state[i];
      expected[lane] = portable(state, blocks[lane], rows);
    }
    LaneState plain = before;
    kernels().compress_lanes(plain, blocks, rows);
    LaneState logging = before;
    log.rows = 0;
    if (kernels().compress_lanes_logging != nullptr) {
      kernels().compress_lanes_logging(logging, blocks, rows, log);
      EXPECT_EQ(log.rows, rows);
    } else {
      logging = plain;
    }
    for (unsigned lane = 0; lane < kernels().lanes; ++lane) {
      for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(plain.word[i][lane], expected[lane][i]) << rows << " rows, lane " << lane;
        EXPECT_EQ(logging.word[i][lane], expected[lane][i]) << rows << " rows, lane " << lane;
      }
    }
  }
}

TEST_P(KernelTest, LanesReadTheirBlocksOnly) {
  if (kernels().lanes == 0) return;
  GuardedBuffer buffer(4 * kBlockSize);
  collision::LaneLog log;
  for (std::size_t rows = 1; rows <= 4; ++rows) {
    for (const bool at_end : {false, true}) {
      const std::size_t size = rows * kBlockSize;
      const auto blocks = at_end ? buffer.at_end(size) : buffer.at_start(size);
      std::fill(blocks.begin(), blocks.end(), std::uint8_t{0x5a});
      const std::uint8_t* pointers[kMaxLanes];
      std::fill(std::begin(pointers), std::end(pointers), blocks.data());
      LaneState state;
      for (unsigned i = 0; i < 5; ++i) {
        std::fill(std::begin(state.word[i]), std::end(state.word[i]), kInitialState[i]);
      }
      LaneState again = state;
      kernels().compress_lanes(state, pointers, rows);
      if (kernels().compress_lanes_logging != nullptr) {
        log.rows = 0;
        kernels().compress_lanes_logging(again, pointers, rows, log);
      } else {
        again = state;
      }
      const State expected = portable(kInitialState, blocks.data(), rows);
      for (unsigned lane = 0; lane < kernels().lanes; ++lane) {
        for (unsigned i = 0; i < 5; ++i) {
          EXPECT_EQ(state.word[i][lane], expected[i]);
          EXPECT_EQ(again.word[i][lane], expected[i]);
        }
      }
    }
  }
}

TEST(KernelTableTest, HasAUsableRowAndNamesAreUnique) {
  std::vector<std::string> names = all_kernel_names();
  EXPECT_TRUE(usable(*find_kernels("portable")));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_EQ(find_kernels("no-such-kernel"), nullptr);
  for (const Kernels& kernels : all_kernels()) {
    EXPECT_NE(kernels.compress, nullptr) << kernels.name;
    EXPECT_NE(kernels.compress_detecting, nullptr) << kernels.name;
    EXPECT_NE(kernels.recompress, nullptr) << kernels.name;
    EXPECT_EQ(kernels.lanes == 0, kernels.compress_lanes == nullptr) << kernels.name;
    EXPECT_EQ(kernels.lanes == 0, kernels.compress_lanes_logging == nullptr) << kernels.name;
    EXPECT_EQ(kernels.lanes == 0, kernels.judge_lanes == nullptr) << kernels.name;
    EXPECT_LE(kernels.lanes, kMaxLanes) << kernels.name;
    EXPECT_EQ(kernels.lanes % 8, 0U) << kernels.name;
  }
}

TEST(KernelTableTest, ChoosesTheFirstUsableRow) {
  const Choice choice = choose("");
  EXPECT_EQ(choice.problem, Choice::Problem::kNone);
  EXPECT_EQ(describe_problem(choice), "");
  for (const Kernels& kernels : all_kernels()) {
    if (!usable(kernels)) continue;
    EXPECT_EQ(choice.kernels, &kernels);
    break;
  }
}

// Rows for comparison stand behind the one that can always be used.
TEST(KernelTableTest, ChoosesNoRowForComparison) {
  const std::vector<std::string> names = all_kernel_names();
  const auto portable = std::find(names.begin(), names.end(), "portable");
  for (const char* name :
       {"rfc3174", "mozilla", "mozilla_scheduled", "blk", "blk_f1_or", "blk_late_k"}) {
    EXPECT_NE(std::find(portable, names.end(), name), names.end()) << name;
  }
  EXPECT_TRUE(choose("").kernels <= find_kernels("portable"));
}

TEST(KernelTableTest, FollowsAName) {
  for (const Kernels& kernels : all_kernels()) {
    if (!usable(kernels)) continue;
    const Choice choice = choose(kernels.name);
    EXPECT_EQ(choice.problem, Choice::Problem::kNone);
    EXPECT_EQ(choice.kernels, &kernels);
  }
}

TEST(KernelTableTest, SaysWhyANameIsNotFollowed) {
  const Choice unknown = choose("sse9");
  EXPECT_EQ(unknown.problem, Choice::Problem::kUnknownName);
  EXPECT_EQ(unknown.kernels, choose("").kernels);
  EXPECT_NE(describe_problem(unknown).find("'sse9' is unknown"), std::string::npos);
  for (const Kernels& kernels : all_kernels()) {
    if (usable(kernels)) continue;
    const Choice unusable = choose(kernels.name);
    EXPECT_EQ(unusable.problem, Choice::Problem::kUnusable);
    EXPECT_EQ(unusable.kernels, choose("").kernels);
    EXPECT_NE(describe_problem(unusable).find("cannot run"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay::sha1
