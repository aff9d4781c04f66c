// What a copy links to whose bytes are not those of its object: nothing, whoever is read first.
#include <gtest/gtest.h>

#include "store/fsck/check_storage.h"
#include "tests/support/fsck_repository.h"
#include "tests/support/pack_builder.h"

namespace assay {
namespace {

using testing::FsckRepository;
using testing::lines_of;
using testing::PackBuilder;
using testing::sorted_lines;
using testing::sorted_lines_of;
using testing::tag_text;
using testing::tree_text;

using Lines = std::vector<std::string>;

class BadCopiesTest : public ::testing::Test {
 protected:
  BadCopiesTest()
      : good_(repository_.blob("wanted by the good copy")),
        false_(repository_.blob("wanted by the bad copy")),
        good_tree_(tree_text({{"100644", "good", good_}})),
        bad_tree_(tree_text({{"100644", "false", false_}})),
        id_(repository_.id_of(ObjectType::kTree, good_tree_)) {
    repository_.ref("heads/main", repository_.commit(id_));
  }
  // A pack with a tree that is not what its name says.
  PackBuilder bad_pack() const {
    PackBuilder builder;
    builder.add(ObjectType::kTree, bad_tree_);
    builder.entry(0).id = id_;
    return builder;
  }
  std::string corrupt(const std::string& pack) const {
    return "error: packed " + id_.hex() + " from .git/objects/pack/pack-" + pack +
           ".pack is corrupt";
  }

  FsckRepository repository_;
  ObjectId good_, false_;
  Bytes good_tree_, bad_tree_;
  ObjectId id_;
};

TEST_F(BadCopiesTest, DoNotLinkWhenAGoodCopyIsLoose) {
  repository_.add_pack(bad_pack().build(), "p");
  repository_.put(ObjectType::kTree, good_tree_);
  for (const unsigned threads : {1u, 2u, 8u}) {
    EXPECT_EQ((Lines{corrupt("p"), "dangling blob " + false_.hex()}),
              lines_of(repository_.check(threads)));
  }
}

TEST_F(BadCopiesTest, DoNotLinkWhenAGoodCopyIsInAPack) {
  // Larger packs are read first: in one of the two the bad copy comes first.
  for (const bool bad_is_larger : {true, false}) {
    PackBuilder bad = bad_pack();
    PackBuilder good;
    good.add(ObjectType::kTree, good_tree_);
    PackBuilder& larger = bad_is_larger ? bad : good;
    for (int i = 0; i < 20; ++i)
      larger.add(ObjectType::kTag, tag_text(good_, ObjectType::kBlob, "t" + std::to_string(i)));
    FsckReport report;
    repository_.add_pack(bad.build(), "bad");
    repository_.add_pack(good.build(), "good");
    for (const unsigned threads : {1u, 2u, 8u}) {
      FsckOptions options = repository_.options(threads);
      report = repository_.check(options);
      Lines lines = lines_of(report);
      EXPECT_EQ(1, std::count(lines.begin(), lines.end(), corrupt("bad")));
      EXPECT_EQ(1, std::count(lines.begin(), lines.end(), "dangling blob " + false_.hex()));
      EXPECT_EQ(0, std::count(lines.begin(), lines.end(), "dangling blob " + good_.hex()));
    }
  }
}

TEST_F(BadCopiesTest, DoNotLinkWhenThereIsNoGoodCopy) {
  repository_.add_pack(bad_pack().build(), "p");
  EXPECT_EQ(
      sorted_lines({corrupt("p"), "dangling blob " + false_.hex(), "dangling blob " + good_.hex()}),
      sorted_lines_of(repository_.check()));
}

TEST_F(BadCopiesTest, DoNotMissAnything) {
  PackBuilder builder;
  builder.add(ObjectType::kTree, tree_text({{"100644", "x", ObjectId::null(HashKind::kSha1)},
                                            {"100644", "y", good_}}));
  builder.entry(0).id = id_;
  repository_.add_pack(builder.build(), "p");
  repository_.put(ObjectType::kTree, good_tree_);
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{corrupt("p"), "dangling blob " + false_.hex()}), lines_of(report));
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(BadCopiesTest, AreNotJudged) {
  // The bad bytes break rules; only that they are the wrong bytes is said.
  PackBuilder builder;
  builder.add(ObjectType::kTree, tree_text({{"100644", "..", good_}, {"100644", ".", good_}}));
  builder.entry(0).id = id_;
  repository_.add_pack(builder.build(), "p");
  repository_.put(ObjectType::kTree, good_tree_);
  EXPECT_EQ((Lines{corrupt("p"), "dangling blob " + false_.hex()}), lines_of(repository_.check()));
}

TEST_F(BadCopiesTest, NameNoSpecialBlobs) {
  PackBuilder builder;
  builder.add(ObjectType::kTree,
              tree_text({{"100644", ".gitmodules", ObjectId::null(HashKind::kSha1)}}));
  builder.entry(0).id = id_;
  repository_.add_pack(builder.build(), "p");
  repository_.put(ObjectType::kTree, good_tree_);
  EXPECT_EQ((Lines{corrupt("p"), "dangling blob " + false_.hex()}), lines_of(repository_.check()));
}

TEST_F(BadCopiesTest, LeaveTheSpecialBlobsOfGoodTreesAlone) {
  repository_.add_pack(bad_pack().build(), "p");
  repository_.put(ObjectType::kTree, good_tree_);
  const ObjectId modules = repository_.blob("[submodule \"../x\"]\n\turl = u\n");
  // One that is found in passing, and one in a tree that has to be looked at closely for it.
  for (const char* mode : {"100644", "100664"}) {
    repository_.ref("heads/" + std::string(mode),
                    repository_.commit(repository_.tree({{mode, ".gitmodules", modules}})));
    const FsckReport report = repository_.check();
    EXPECT_EQ(1, std::count_if(report.findings.begin(), report.findings.end(),
                               [](const Finding& finding) {
                                 return finding.id == MessageId::kGitmodulesName;
                               }));
    std::filesystem::remove(repository_.files().git_dir() + "/refs/heads/" + mode);
  }
}

TEST_F(BadCopiesTest, PassNothingOnThatNobodyEntered) {
  // The good copy of the base is loose and comes first, so the bad one in the pack enters nothing.
  // A good delta keeps the part of the bad base that is false.
  repository_.put(ObjectType::kTree, good_tree_);
  PackBuilder builder = bad_pack();
  Bytes derived = bad_tree_;
  const Bytes more = tree_text({{"100644", "good", good_}});
  derived.insert(derived.end(), more.begin(), more.end());
  builder.add_offset_delta(0, derived);
  repository_.add_pack(builder.build(), "p");
  repository_.ref("heads/derived", repository_.commit(builder.entry(1).id));
  for (const unsigned threads : {1u, 2u, 8u}) {
    EXPECT_EQ((Lines{corrupt("p")}), lines_of(repository_.check(threads)));
  }
}

}  // namespace
}  // namespace assay
