#include "store/object/commit.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

const std::string kTree(40, 'a');
const std::string kParent(40, 'B');
const ObjectId kSelf = *ObjectId::from_hex(std::string(40, '7'), HashKind::kSha1);
const std::string kSelfHex = kSelf.hex();
const std::string kIdent = " A U Thor <a@b> 1112911993 -0700\n";

std::string error_of(const std::string& body, const ObjectId& self = kSelf) {
  const auto commit = parse_commit(as_bytes(body), self);
  if (commit) return "none";
  EXPECT_EQ(commit.error().id, MessageId::kObjectNotParsed);
  return commit.error().text;
}

std::uint64_t time_of(const std::string& lines) {
  const auto commit = parse_commit(as_bytes("tree " + kTree + "\n" + lines), kSelf);
  return commit ? commit->commit_time : ~std::uint64_t{0};
}

TEST(Commit, Links) {
  const std::string body = "tree " + kTree + "\nparent " + kParent + "\nparent " + kParent +
                           "\nauthor" + kIdent + "committer" + kIdent + "\nparent\n";
  const auto commit = parse_commit(as_bytes(body), kSelf);
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->tree.hex(), kTree);
  ASSERT_EQ(commit->parents.size(), 2U);
  EXPECT_EQ(commit->parents[1].hex(), std::string(40, 'b'));
  EXPECT_EQ(commit->commit_time, 1112911993U);
}

TEST(Commit, Sha256) {
  const ObjectId self = ObjectId::null(HashKind::kSha256);
  const std::string tree(64, 'c');
  const auto commit =
      parse_commit(as_bytes("tree " + tree + "\nparent " + tree + "\nauthor x\n"), self);
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->tree.hex(), tree);
  EXPECT_EQ(commit->parents.size(), 1U);
  EXPECT_EQ(error_of("tree " + kTree + "\nauthor" + kIdent + "\n", self),
            "bogus commit object " + self.hex());
}

TEST(Commit, Bogus) {
  const std::string bogus = "bogus commit object " + kSelfHex;
  EXPECT_EQ(error_of(""), bogus);
  EXPECT_EQ(error_of("tree " + kTree + "\n"), bogus);
  EXPECT_EQ(error_of("tree " + kTree + "\n\n"), "none");
  EXPECT_EQ(error_of("tree " + kTree + "\nx"), "none");
  EXPECT_EQ(error_of("Tree " + kTree + "\n\n"), bogus);
  EXPECT_EQ(error_of("tree " + kTree + " \n\n"), bogus);
  EXPECT_EQ(error_of("tree " + std::string(40, 'g') + "\n\n"),
            "bad tree pointer in commit " + kSelfHex);
}

TEST(Commit, BadParents) {
  const std::string tree = "tree " + kTree + "\n";
  const std::string bad = "bad parents in commit " + kSelfHex;
  EXPECT_EQ(error_of(tree + "parent " + kParent.substr(1) + "\n\nmuch more"), bad);
  EXPECT_EQ(error_of(tree + "parent " + kParent + "\n" + "parent " + kParent + "1\n\n"), bad);
  EXPECT_EQ(error_of(tree + "parent " + std::string(40, 'g') + "\n\n"), bad);
  // Where the parents end the object, git wants one byte more, and takes less for no parent at all.
  EXPECT_EQ(error_of(tree + "parent " + kParent + "\n"), bad);
  EXPECT_EQ(error_of(tree + "parent " + kParent), "none");
  EXPECT_EQ(error_of(tree + "parent " + kParent + "\n\n"), "none");
}

TEST(Commit, Time) {
  const std::string author = "author x\n";
  EXPECT_EQ(time_of(author + "committer A <a> 12 +0000\n"), 12U);
  EXPECT_EQ(time_of(author + "committer A <a>12\n"), 12U);
  EXPECT_EQ(time_of(author + "committer A <a> b> \t 12x\n"), 12U);
  EXPECT_EQ(time_of(author + "committer A <a> 99999999999999999999 +0000\n"), ~std::uint64_t{0});
  EXPECT_EQ(time_of(author + "committer A <a> -1\n"), ~std::uint64_t{0});
  EXPECT_EQ(time_of(author + "committer A <a> +1\n"), 0U);
  EXPECT_EQ(time_of(author + "committer A <a> \n"), 0U);
  EXPECT_EQ(time_of(author + "committer 12\n"), 0U);
  EXPECT_EQ(time_of(author + "committer A <a> 12"), 0U) << "line without end";
  EXPECT_EQ(time_of("committer A <a> 12 +0000\n"), 0U);
  EXPECT_EQ(time_of(author + "encoding x\ncommitter A <a> 12 +0000\n"), 0U);
}

TEST(Commit, EveryTruncationAndFlip) {
  const std::string body = "tree " + kTree + "\nparent " + kParent + "\nauthor" + kIdent +
                           "committer" + kIdent + "\nx\n";
  for (std::size_t size = 0; size <= body.size(); ++size) {
    const std::string cut = body.substr(0, size);  // a heap buffer of exactly this size
    EXPECT_EQ(parse_commit(as_bytes(cut), kSelf).has_value(), size > 46 && size != 94) << size;
  }
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string flipped = body;
      flipped[i] = static_cast<char>(value);
      const auto commit = parse_commit(as_bytes(flipped), kSelf);
      EXPECT_LE(commit ? commit->parents.size() : 0U, 1U);
    }
  }
}

}  // namespace
}  // namespace assay
