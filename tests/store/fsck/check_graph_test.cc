#include "store/fsck/check_graph.h"

#include <gtest/gtest.h>

#include "tests/support/fsck_repository.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::FsckRepository;
using testing::IndexBuilder;
using testing::lines_of;
using testing::PackBuilder;
using testing::sorted_lines;
using testing::sorted_lines_of;

using Lines = std::vector<std::string>;

std::string broken(std::string_view from_type, const ObjectId& from, std::string_view to_type,
                   const ObjectId& to) {
  const auto padded = [](std::string_view type) {
    return std::string(7 - type.size(), ' ') + std::string(type);
  };
  return "broken link from " + padded(from_type) + " " + from.hex() + "\n              to " +
         padded(to_type) + " " + to.hex();
}

class CheckGraphTest : public ::testing::TestWithParam<HashKind> {
 protected:
  // main: second -> first; first -> tree { file, link, dir/ { inner } }.
  CheckGraphTest() : repository_(GetParam()) {
    file_ = repository_.blob("file");
    link_ = repository_.blob("target");
    inner_ = repository_.blob("inner");
    directory_ = repository_.tree({{"100644", "inner", inner_}});
    tree_ = repository_.tree(
        {{"40000", "dir", directory_}, {"100644", "file", file_}, {"120000", "link", link_}});
    first_ = repository_.commit(tree_);
    second_ = repository_.commit(tree_, {first_}, "second");
    repository_.ref("heads/main", second_);
  }
  ObjectId absent(char digit = 'e') const {
    return *ObjectId::from_hex(std::string(id_hex_size(GetParam()), digit), GetParam());
  }

  FsckRepository repository_;
  ObjectId file_, link_, inner_, directory_, tree_, first_, second_;
};

INSTANTIATE_TEST_SUITE_P(Hashes, CheckGraphTest,
                         ::testing::Values(HashKind::kSha1, HashKind::kSha256),
                         [](const auto& hash) { return std::string(hash_name(hash.param)); });

TEST_P(CheckGraphTest, ASoundRepositoryGivesNothing) {
  for (const unsigned threads : {1u, 4u}) {
    const FsckReport report = repository_.check(threads);
    EXPECT_EQ(Lines{}, lines_of(report));
    EXPECT_EQ(0, report.exit_status);
    EXPECT_EQ(7u, report.statistics.objects);
  }
}

TEST_P(CheckGraphTest, DanglingIsWhatNothingPointsTo) {
  const ObjectId lone = repository_.blob("lone");
  const ObjectId held = repository_.blob("held by an unreachable tree");
  const ObjectId holder = repository_.tree({{"100644", "file", file_}, {"100644", "held", held}});
  const ObjectId top = repository_.commit(holder, {first_}, "unreachable");
  const FsckReport report = repository_.check();
  EXPECT_EQ(sorted_lines({"dangling blob " + lone.hex(), "dangling commit " + top.hex()}),
            sorted_lines_of(report));
  EXPECT_EQ(0, report.exit_status);
  FsckOptions options = repository_.options();
  options.show_dangling = false;
  EXPECT_EQ(Lines{}, lines_of(repository_.check(options)));
}

TEST_P(CheckGraphTest, UnreachableIsAllThatOnlySuchObjectsHold) {
  const ObjectId lone = repository_.blob("lone");
  const ObjectId held = repository_.blob("held");
  const ObjectId twice = repository_.blob("held twice");
  const ObjectId inside = repository_.tree({{"100644", "twice", twice}});
  const ObjectId holder = repository_.tree({{"100644", "a", held},
                                            {"100644", "b", held},
                                            {"40000", "c", inside},
                                            {"100644", "d", file_},
                                            {"100644", "e", twice}});
  const ObjectId top = repository_.commit(holder, {first_, first_}, "unreachable");
  const ObjectId tag = repository_.tag(top, ObjectType::kCommit);
  FsckOptions options = repository_.options(2);
  options.show_unreachable = true;
  const FsckReport report = repository_.check(options);
  EXPECT_EQ(sorted_lines({"unreachable blob " + lone.hex(), "unreachable blob " + held.hex(),
                          "unreachable blob " + twice.hex(), "unreachable tree " + inside.hex(),
                          "unreachable tree " + holder.hex(), "unreachable commit " + top.hex(),
                          "unreachable tag " + tag.hex()}),
            sorted_lines_of(report));
  EXPECT_EQ(0, report.exit_status);
}

TEST_P(CheckGraphTest, AMissingBlobBreaksTheLinkToIt) {
  repository_.remove(inner_);
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{broken("tree", directory_, "blob", inner_), "missing blob " + inner_.hex()}),
            lines_of(report));
  EXPECT_EQ(2, report.exit_status);
}

TEST_P(CheckGraphTest, AMissingCommitAndWhatIsBehindIt) {
  repository_.remove(first_);
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{broken("commit", second_, "commit", first_), "missing commit " + first_.hex()}),
            lines_of(report));
  EXPECT_EQ(2, report.exit_status);
}

TEST_P(CheckGraphTest, AMissingTreeLeavesItsBlobsDangling) {
  repository_.remove(directory_);
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{broken("tree", tree_, "tree", directory_), "missing tree " + directory_.hex(),
                   "dangling blob " + inner_.hex()}),
            lines_of(report));
}

TEST_P(CheckGraphTest, LinksOfUnreachableObjectsAreNotBroken) {
  const ObjectId holder = repository_.tree({{"100644", "x", absent()}});
  const ObjectId top = repository_.commit(holder, {absent('d')});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{"dangling commit " + top.hex()}), lines_of(report));
  EXPECT_EQ(0, report.exit_status);
}

TEST_P(CheckGraphTest, OfSeveralParentsAReachableOneIsNamed) {
  // Many unreachable trees want the same blob, and one that is reachable.
  for (int i = 0; i < 20; ++i) {
    repository_.tree({{"100644", "x" + std::to_string(i), absent()}});
  }
  const ObjectId holder = repository_.tree({{"100644", "reachable", absent()}});
  const ObjectId top = repository_.commit(holder, {second_});
  repository_.ref("heads/main", top);
  FsckOptions options = repository_.options();
  options.show_dangling = false;
  EXPECT_EQ((Lines{broken("tree", holder, "blob", absent()), "missing blob " + absent().hex()}),
            lines_of(repository_.check(options)));
}

TEST_P(CheckGraphTest, GitlinksLeadElsewhere) {
  const ObjectId tree = repository_.tree({{"160000", "module", absent()}});
  repository_.ref("heads/main", repository_.commit(tree, {second_}));
  EXPECT_EQ(Lines{}, lines_of(repository_.check()));
}

TEST_P(CheckGraphTest, TagsLeadToTheirObjects) {
  const ObjectId tagged = repository_.blob("tagged");
  const ObjectId inner = repository_.tag(tagged, ObjectType::kBlob, "inner");
  const ObjectId outer = repository_.tag(inner, ObjectType::kTag, "outer");
  repository_.ref("tags/outer", outer);
  EXPECT_EQ(Lines{}, lines_of(repository_.check()));
  repository_.remove(inner);
  EXPECT_EQ((Lines{broken("tag", outer, "tag", inner), "missing tag " + inner.hex(),
                   "dangling blob " + tagged.hex()}),
            lines_of(repository_.check()));
}

TEST_P(CheckGraphTest, ShallowCommitsHaveNoParents) {
  repository_.remove(first_);
  repository_.files().write("shallow", second_.hex() + "\n");
  EXPECT_EQ(Lines{}, lines_of(repository_.check()));
  // A parent that is there all the same is held by nobody.
  repository_.commit(tree_);
  EXPECT_EQ((Lines{"dangling commit " + first_.hex()}), lines_of(repository_.check()));
}

TEST_P(CheckGraphTest, WhatAPromisorPackLinksToIsPromised) {
  const ObjectId blob = absent();
  const Bytes tree = testing::tree_text({{"100644", "x", blob}});
  PackBuilder builder(GetParam());
  builder.add(ObjectType::kTree, tree);
  const ObjectId tree_id = builder.entry(0).id;
  builder.add(ObjectType::kCommit, testing::commit_text(tree_id, {absent('d')}));
  repository_.add_pack(builder.build(), "p");
  repository_.files().write("objects/pack/pack-p.promisor", "");
  repository_.ref("heads/partial", builder.entry(1).id);
  // Without a remote that promises, the mark means nothing.
  EXPECT_EQ(2, repository_.check().exit_status);
  EXPECT_EQ(4u, repository_.check().findings.size());
  const std::string format = GetParam() == HashKind::kSha256 ? "\tobjectFormat = sha256\n" : "";
  repository_.files().write("config",
                            "[core]\n\trepositoryformatversion = 1\n[extensions]\n" + format +
                                "\tpartialClone = origin\n[remote \"origin\"]\n\turl = u\n"
                                "\tpromisor = true\n");
  const FsckReport report = repository_.check();
  EXPECT_EQ(Lines{}, lines_of(report));
  EXPECT_EQ(0, report.exit_status);
  // What another object wants besides is not promised.
  repository_.ref("heads/other",
                  repository_.commit(repository_.tree({{"100644", "y", absent('c')}}), {second_}));
  EXPECT_EQ(2u, repository_.check().findings.size());
}

TEST_P(CheckGraphTest, IndexEntriesAreRoots) {
  const ObjectId staged = repository_.blob("staged");
  const auto write_index = [&](const ObjectId& id) {
    repository_.files().write(
        "index", IndexBuilder(2, GetParam()).entry({id, "a"}).entry({file_, "b"}).sealed());
  };
  write_index(staged);
  EXPECT_EQ(Lines{}, lines_of(repository_.check()));
  write_index(absent());
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{"missing blob " + absent().hex(), "dangling blob " + staged.hex()}),
            lines_of(report));
  EXPECT_EQ(2, report.exit_status);
}

TEST_P(CheckGraphTest, GivenObjectsAreTheOnlyRoots) {
  FsckOptions options = repository_.options();
  options.heads = {{first_.hex(), first_}};
  EXPECT_EQ((Lines{"dangling commit " + second_.hex()}), lines_of(repository_.check(options)));
}

TEST_P(CheckGraphTest, ADamagedReachableObjectIsMissingToo) {
  repository_.put_file(inner_, Bytes{'x'});
  const FsckReport report = repository_.check();
  const Lines lines = lines_of(report);
  ASSERT_EQ(2u, lines.size());
  EXPECT_EQ("error: " + inner_.hex() + ": object corrupt or missing: .git/" +
                repository_.object_path(inner_),
            lines[0]);
  EXPECT_EQ("missing blob " + inner_.hex(), lines[1]);
  EXPECT_EQ(3, report.exit_status);
}

TEST_P(CheckGraphTest, TheNullIdIsAMissingObject) {
  const ObjectId null = ObjectId::null(GetParam());
  const ObjectId tree = repository_.tree({{"100644", "x", null}});
  repository_.ref("heads/main", repository_.commit(tree, {second_}));
  const FsckReport report = repository_.check();
  EXPECT_EQ(2, report.exit_status);
  const Lines lines = lines_of(report);
  EXPECT_EQ(1, std::count(lines.begin(), lines.end(), "missing blob " + null.hex()));
}

TEST_P(CheckGraphTest, ADeepHistoryIsWalkedWithoutRecursion) {
  // Trees in trees and commits behind commits, all unreachable but for their top.
  ObjectId commit = second_;
  PackBuilder builder(GetParam());
  ObjectId inside = directory_;
  for (int i = 0; i < 3000; ++i) {
    builder.add(ObjectType::kTree, testing::tree_text({{"40000", "d", inside}}));
    inside = builder.entry(builder.size() - 1).id;
    builder.add(ObjectType::kCommit, testing::commit_text(inside, {commit}));
    commit = builder.entry(builder.size() - 1).id;
  }
  repository_.add_pack(builder.build(), "deep");
  FsckOptions options = repository_.options(2);
  EXPECT_EQ((Lines{"dangling commit " + commit.hex()}), lines_of(repository_.check(options)));
  options.show_unreachable = true;
  EXPECT_EQ(6000u, repository_.check(options).findings.size());
}

}  // namespace
}  // namespace assay
