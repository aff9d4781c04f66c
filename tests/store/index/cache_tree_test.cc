#include "store/index/cache_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::id_of_digit;
using testing::raw_text;

std::optional<CacheTree> parse(std::string_view text) {
  return parse_cache_tree(as_bytes(text), HashKind::kSha1);
}
std::string node(const std::string& name, int entries, int subtrees, char digit = 'a') {
  std::string text = name + '\0' + std::to_string(entries) + ' ' + std::to_string(subtrees) + '\n';
  if (entries >= 0) text += raw_text(id_of_digit(digit));
  return text;
}

TEST(CacheTree, ReadsNodesDepthFirst) {
  // "" has a and b; a has c, which is no longer valid.
  const auto tree =
      parse(node("", 4, 2) + node("a", 2, 1, 'b') + node("c", -1, 0) + node("b", 1, 0, 'd'));
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->nodes.size(), 4U);
  EXPECT_EQ(tree->path_of(0), "");
  EXPECT_EQ(tree->path_of(1), "a");
  EXPECT_EQ(tree->path_of(2), "a/c");
  EXPECT_EQ(tree->path_of(3), "b");
  EXPECT_EQ(tree->nodes[1].id, id_of_digit('b'));
  EXPECT_EQ(tree->nodes[2].entry_count, -1);
  EXPECT_EQ(tree->nodes[3].parent, 0U);
  EXPECT_EQ(tree->nodes[0].parent, CacheTreeNode::kNoParent);
}

TEST(CacheTree, RefusesWhatIsMalformed) {
  const std::string id = raw_text(id_of_digit('a'));
  EXPECT_TRUE(parse(node("", 0, 0)));
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse(node("x", 0, 0)));  // the root has no name
  EXPECT_FALSE(parse(node("", 1, 1)));   // a subtree is to come
  EXPECT_FALSE(parse(std::string("\0"
                                 "1 0",
                                 4) +
                     id));  // no line end
  EXPECT_FALSE(parse(std::string("\0"
                                 " 0\n",
                                 4) +
                     id));  // no number
  EXPECT_FALSE(parse(std::string("\0"
                                 "1x 0\n",
                                 6) +
                     id));
  EXPECT_FALSE(parse(std::string("\0"
                                 "1 -1\n",
                                 6) +
                     id));
  EXPECT_FALSE(parse(std::string("\0"
                                 "99999999999 0\n",
                                 15) +
                     id));
  EXPECT_FALSE(parse(node("", 1, 0).substr(0, 20)));  // the id is cut
}

TEST(CacheTree, ReadsAsDeepAsTheFileGoes) {
  std::string text = node("", 1, 1);
  for (int i = 0; i < 50000; ++i) text += node("d", 1, 1);
  const auto tree = parse(text + node("d", 1, 0));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->nodes.size(), 50002U);
}

TEST(CacheTree, SurvivesDamage) {
  const std::string text =
      node("", 4, 2) + node("a", 2, 1, 'b') + node("c", -1, 0) + node("b", 1, 0, 'd');
  std::size_t refused = 0;
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    refused += parse_cache_tree(bytes, HashKind::kSha1) ? 0 : 1;
  });
  EXPECT_GT(refused, text.size());
}

}  // namespace
}  // namespace assay
