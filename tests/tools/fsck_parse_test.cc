// What `assay fsck` says of objects that git cannot parse, and of the refs that lead to them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/linked_repository.h"
#include "tests/support/pack_builder.h"

namespace assay::tools {
namespace {

using testing::kIdent;
using testing::kObjects;
using testing::with_header;

class FsckParse : public testing::LinkedRepository {};

TEST_F(FsckParse, UnreadPacksDoNotMakeAnUnparsableCommitSound) {
  const ObjectId bad = put("commit", "tree nonsense\n");
  branch("main", bad);
  EXPECT_EQ(3, fsck({"--no-full"}).status);
  EXPECT_EQ(2, fsck({"--connectivity-only"}).status);
}

// With --no-full nobody else says why a packed object is no commit.
TEST_F(FsckParse, WhyARefLeadsToWhatCannotBeParsedIsSaid) {
  const std::string who = std::string(kIdent) + "\n";
  const std::string text = "author " + who + "committer " + who + "\nmessage\n";
  testing::PackBuilder builder;
  const ObjectId bad = builder.entry(builder.add(ObjectType::kCommit, as_bytes(text))).id;
  builder.build().write(files_.root(), kObjects + "/pack/pack-a");
  branch("main", commit(put("tree", entry("100644 x", put("blob", "x\n")))));
  branch("other", bad);
  EXPECT_EQ("error: bogus commit object " + bad.hex() +
                "\nerror: refs/heads/other: invalid sha1 pointer " + bad.hex() + "\n",
            fsck({"--no-full"}).err);
  // What is only absent needs no reason.
  branch("other", absent_);
  EXPECT_EQ("error: refs/heads/other: invalid sha1 pointer " + absent_.hex() + "\n",
            fsck({"--no-full"}).err);
}

// With --no-full git checks no packs, but it has read what refs name before it reads loose objects.
TEST_F(FsckParse, WhatAPackedTipSaysOfALooseObjectIsHeardWithoutFull) {
  const ObjectId blob = put("blob", "x\n");
  const std::string who = std::string(kIdent) + "\n";
  testing::PackBuilder builder;
  const ObjectId tip = builder
                           .entry(builder.add(ObjectType::kCommit,
                                              as_bytes("tree " + blob.hex() + "\nauthor " + who +
                                                       "committer " + who + "\nmessage\n")))
                           .id;
  builder.build().write(files_.root(), kObjects + "/pack/pack-a");
  branch("main", tip);
  const auto result = fsck({"--no-full"});
  EXPECT_NE(std::string::npos, result.err.find("error: object " + blob.hex() +
                                               " is a tree, not a blob\nerror: " + blob.hex() +
                                               ": object could not be parsed: "))
      << result.err;
  EXPECT_EQ(std::string::npos, result.err.find("invalid sha1 pointer")) << result.err;
  EXPECT_EQ("", result.out);
  EXPECT_EQ(1, result.status);
}

TEST_F(FsckParse, OfTwoPackedTipsTheSecondIsWrongWithoutFull) {
  const ObjectId blob = put("blob", "x\n");
  const std::string rest = "\ntag t\ntagger " + std::string(kIdent) + "\n\nmessage\n";
  testing::PackBuilder builder;
  const auto tag = [&](std::string_view type) {
    const std::string text = "object " + blob.hex() + "\ntype " + std::string(type) + rest;
    return builder.entry(builder.add(ObjectType::kTag, as_bytes(text))).id;
  };
  const ObjectId first = tag("blob");
  const ObjectId second = tag("tree");
  builder.build().write(files_.root(), kObjects + "/pack/pack-a");
  files_.write("refs/tags/a", first.hex() + "\n");
  files_.write("refs/tags/b", second.hex() + "\n");
  const auto result = fsck({"--no-full"});
  EXPECT_EQ("error: object " + blob.hex() + " is a blob, not a tree\nerror: bad tag pointer to " +
                blob.hex() + " in " + second.hex() + "\nerror: refs/tags/b: invalid sha1 pointer " +
                second.hex() + "\n",
            result.err);
  EXPECT_EQ(2, result.status);
}

// git learns first what an object is, and then what it says of others.
TEST_F(FsckParse, WhatCannotBeParsedSaysNothingOfOthers) {
  ObjectId blob;
  ObjectId tree;
  for (int i = 0; i == 0 || !(blob < tree); ++i) {
    blob = testing::id_of(with_header("blob", std::to_string(i)));
    tree = testing::id_of(with_header("tree", entry("100644 x", blob)));
    if (blob < tree) put("blob", std::to_string(i));
  }
  put("tree", entry("100644 x", blob));
  const auto tag = [&](const ObjectId& target) {
    return put("tag", "object " + target.hex() + "\ntype commit\ntag t\ntagger " +
                          std::string(kIdent) + "\n\nmessage\n");
  };
  files_.write("refs/tags/a", tag(blob).hex() + "\n");
  files_.write("refs/tags/b", tag(tree).hex() + "\n");
  const auto result = fsck();
  for (const ObjectId& id : {blob, tree}) {
    EXPECT_NE(std::string::npos, result.err.find(id.hex() + ": object could not be parsed: "))
        << result.err;
  }
  EXPECT_EQ(std::string::npos, result.err.find("broken links")) << result.err;
}

// git dies of a packed object that it cannot unpack and that a ref names, whether packs are
// verified or not.
TEST_F(FsckParse, ARefToWhatCannotBeUnpackedKillsGitWithoutFull) {
  testing::PackBuilder builder;
  const std::string base = "one two three four five\n";
  const std::size_t delta =
      builder.add_ref_delta(absent_, ObjectType::kBlob, as_bytes(base), as_bytes(base + "six\n"));
  const ObjectId lost = builder.entry(delta).id;
  builder.build().write(files_.root(), kObjects + "/pack/pack-a");
  branch("main", commit(put("tree", entry("100644 x", put("blob", "x\n")))));
  EXPECT_EQ(0, fsck({"--no-full"}).status);
  files_.write("refs/tags/lost", lost.hex() + "\n");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--no-full"}, std::vector<std::string>{"--full"}}) {
    const auto result = fsck(options);
    EXPECT_EQ(128, result.status) << result.err;
    EXPECT_NE(std::string::npos,
              result.err.find("error: refs/tags/lost: invalid sha1 pointer " + lost.hex()))
        << result.err;
  }
}

// A link that says another type makes one of the two objects unparsable: the one git reads later.
TEST_F(FsckParse, WhatGitCannotParseIsNoRootAndTagsNothing) {
  const ObjectId sound = commit(put("tree", entry("100644 x", put("blob", "x\n"))));
  const auto tag = [&](std::string_view type) {
    return put("tag", "object " + sound.hex() + "\ntype " + std::string(type) + "\ntag t\ntagger " +
                          std::string(kIdent) + "\n\nmessage\n");
  };
  const ObjectId right = tag("commit");
  const std::string root = "root " + sound.hex() + "\n";
  const auto lists = [&](const std::string& line) {
    return fsck({"--root", "--tags"}).out.find(line) != std::string::npos;
  };
  branch("main", sound);
  files_.write("refs/tags/t", right.hex() + "\n");
  EXPECT_TRUE(lists(root));
  EXPECT_TRUE(lists("tagged commit " + sound.hex() + " (t) in " + right.hex() + "\n"));

  const ObjectId wrong = tag("blob");
  const std::string tagged = "tagged blob " + sound.hex() + " (t) in " + wrong.hex() + "\n";
  files_.write("refs/tags/t", wrong.hex() + "\n");
  EXPECT_TRUE(lists(root));
  EXPECT_FALSE(lists(tagged));
  files_.write("refs/a/t", wrong.hex() + "\n");  // comes before refs/heads/
  EXPECT_FALSE(lists(root));
  EXPECT_TRUE(lists(tagged));
}

}  // namespace
}  // namespace assay::tools
