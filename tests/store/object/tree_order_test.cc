#include "store/object/tree_order.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/store/object/tree_text.h"

namespace assay {
namespace {

std::uint32_t order_of(std::string_view first_mode, std::string_view first,
                       std::string_view second_mode, std::string_view second) {
  const ExactTree tree(entry_text(first_mode, first) + entry_text(second_mode, second));
  const auto entries = parse_all(tree.view());
  return pair_order(entries.at(0), entries.at(1));
}

TEST(TreeOrder, Pairs) {
  constexpr std::string_view kFile = "100644";
  constexpr std::string_view kDirectory = "40000";
  EXPECT_EQ(order_of(kFile, "a", kFile, "b"), 0U);
  EXPECT_EQ(order_of(kFile, "b", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "a", kDirectory, "a"), kPairWrong);
  EXPECT_EQ(order_of(kDirectory, "a", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a0"), 0U);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a.c"), kPairOpens);
  EXPECT_EQ(order_of(kFile, "a", kDirectory, "a.c"), kPairOpens);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a/c"), 0U);
  EXPECT_EQ(order_of(kDirectory, "a", kFile, "a.c"), kPairWrong);
  EXPECT_EQ(order_of(kDirectory, "a", kFile, "a0"), 0U);
  EXPECT_EQ(order_of(kFile, "a.c", kDirectory, "a"), kPairCloses);
  EXPECT_EQ(order_of(kFile, "a0", kDirectory, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "ab", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of("160000", "a", kFile, "a-b"), kPairOpens) << "a gitlink sorts as a file";
  EXPECT_EQ(order_of(kFile, "\x7f", kFile, "\x80"), 0U) << "bytes are unsigned";
  EXPECT_EQ(order_of(kFile, "\xff", kFile, "z"), kPairWrong);
}

// The difference, or the end of the shorter name, at each place of a block.
TEST(TreeOrder, PairsAtEveryPlace) {
  for (std::size_t shared = 0; shared < 40; ++shared) {
    const std::string start(shared, 'x');
    EXPECT_EQ(order_of("100644", start + "a~~~", "100644", start + "b"), 0U);
    EXPECT_EQ(order_of("100644", start + "b", "100644", start + "a~~~"), kPairWrong);
    EXPECT_EQ(order_of("100644", start + "b" + start, "100644", start + "b" + start), kPairWrong);
    if (shared == 0) continue;
    EXPECT_EQ(order_of("100644", start, "100644", start + "a" + start), 0U);
    EXPECT_EQ(order_of("100644", start, "100644", start + "-" + start), kPairOpens);
    EXPECT_EQ(order_of("100644", start + "-" + start, "40000", start), kPairCloses);
    EXPECT_EQ(order_of("100644", start + "a" + start, "100644", start), kPairWrong);
  }
}

bool order_is_unusual(const std::vector<std::pair<std::string_view, std::string>>& entries) {
  std::string text;
  for (const auto& [mode, name] : entries) text += entry_text(mode, name);
  const ExactTree tree(text);
  TreeOrder order;
  bool unusual = false;
  for (const TreeEntry& entry : parse_all(tree.view())) unusual |= order.add(entry);
  return unusual;
}

TEST(TreeOrder, WholeTrees) {
  EXPECT_FALSE(order_is_unusual({}));
  EXPECT_FALSE(order_is_unusual({{"100644", "a"}, {"40000", "b"}}));
  // Common in real trees, and harmless: a file that opens and a directory that closes another name.
  EXPECT_FALSE(order_is_unusual({{"100644", "gitk"},
                                 {"40000", "gitk-git"},
                                 {"100644", "refs.c"},
                                 {"100644", "refs.h"},
                                 {"40000", "refs"}}));
  EXPECT_TRUE(order_is_unusual(
      {{"100644", "refs"}, {"100644", "refs.c"}, {"100644", "refs.h"}, {"40000", "refs"}}));
  EXPECT_TRUE(order_is_unusual({{"100644", "b"}, {"100644", "a"}}));
  // More open names than are remembered.
  std::vector<std::pair<std::string_view, std::string>> deep = {{"100644", "x"}};
  for (int i = 0; i < 16; ++i) deep.emplace_back("100644", deep.back().second + "!");
  EXPECT_FALSE(order_is_unusual(deep));
  deep.emplace_back("100644", deep.back().second + "!");
  EXPECT_TRUE(order_is_unusual(deep));
}

}  // namespace
}  // namespace assay
