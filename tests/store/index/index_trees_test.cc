#include "store/index/index_trees.h"

#include <gtest/gtest.h>

#include "tests/support/installed_git.h"
#include "tests/support/temporary_directory.h"

namespace assay {
namespace {

using testing::run_git;
using testing::TemporaryDirectory;

ObjectId id(char digit) { return *ObjectId::from_hex(std::string(40, digit), HashKind::kSha1); }

IndexEntry entry(const std::string& path, char digit = 'a', std::uint32_t mode = 0100644) {
  IndexEntry entry;
  entry.id = id(digit);
  entry.mode = mode;
  entry.path = path;
  return entry;
}

// What git makes of the same entries is compared: the root's id depends on all of them.
TEST(IndexTrees, AreThoseThatGitWrites) {
  const TemporaryDirectory folder;
  run_git(folder.path(), {"init", "-q", "."});
  std::string lines;
  for (const char* path : {"a.c", "a/b/c/d", "a/b/e", "a0", "b/x", "z"}) {
    lines += "100644 " + id('1').hex() + "\t" + path + "\n";
  }
  lines += "100755 " + id('2').hex() + "\ta/run\n120000 " + id('3').hex() + "\tb/link\n160000 " +
           id('4').hex() + "\tb/module\n";
  run_git(folder.path(), {"update-index", "--add", "--index-info"}, lines);
  const std::string root = run_git(folder.path(), {"write-tree", "--missing-ok"});
  const std::string file = folder.read(".git/index");
  const auto index = parse_index_file(as_bytes(file), HashKind::kSha1);
  ASSERT_TRUE(index);
  ASSERT_FALSE(check_index_order(index->entries));
  const auto trees = *trees_of_index(index->entries, HashKind::kSha1);
  EXPECT_EQ(trees.at("").id.hex() + "\n", root);
  EXPECT_EQ(trees.at("").entry_count, 9);
  EXPECT_EQ(trees.size(), 5U);
  EXPECT_EQ(trees.at("a/b/c").entry_count, 1);
  EXPECT_EQ(trees.at("a").entry_count, 3);
  // git wrote the same ids into the file, for the same number of entries.
  ASSERT_TRUE(index->cache_tree);
  for (std::size_t i = 0; i < index->cache_tree->nodes.size(); ++i) {
    const CacheTreeNode& node = index->cache_tree->nodes[i];
    EXPECT_EQ(trees.at(index->cache_tree->path_of(i)).id, node.id);
    EXPECT_EQ(trees.at(index->cache_tree->path_of(i)).entry_count, node.entry_count);
  }
}

TEST(IndexTrees, OfNothingIsTheEmptyTree) {
  const auto trees = *trees_of_index({}, HashKind::kSha1);
  EXPECT_EQ(trees.at("").id.hex(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  EXPECT_EQ(trees.size(), 1U);
}

TEST(IndexTrees, DirectoriesOfASparseIndexCountAsOneEntry) {
  const auto trees = *trees_of_index({entry("a/b/", 'b', 0040000), entry("a/c")}, HashKind::kSha1);
  EXPECT_EQ(trees.at("a/b").id, id('b'));
  EXPECT_EQ(trees.at("a/b").entry_count, 1);
  EXPECT_EQ(trees.at("a").entry_count, 2);
  EXPECT_EQ(trees.size(), 3U);
}

TEST(IndexTrees, WhatIsOnlyAnnouncedOrUnmergedLeavesThemIncomplete) {
  IndexEntry announced = entry("a/new");
  announced.intent_to_add = true;
  IndexEntry ours = entry("b/x");
  ours.stage = 2;
  const auto trees =
      *trees_of_index({announced, entry("a/old"), ours, entry("c/y")}, HashKind::kSha1);
  EXPECT_FALSE(trees.at("a").is_complete);
  EXPECT_FALSE(trees.at("b").is_complete);
  EXPECT_TRUE(trees.at("c").is_complete);
  EXPECT_FALSE(trees.at("").is_complete);
}

// Each directory has a path of its own: of one long path they would take its square.
TEST(IndexTrees, AreNotMadeOfEndlessNesting) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "d/";
  EXPECT_TRUE(trees_of_index({entry(deep + "file")}, HashKind::kSha1));
  for (int i = 0; i < 100'000; ++i) deep += "d/";
  EXPECT_FALSE(trees_of_index({entry(deep + "file")}, HashKind::kSha1));
}

}  // namespace
}  // namespace assay
