// Where lost objects stood and who used them, on repositories made by hand.
#include "store/lost_objects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/loose_files.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

using testing::put_object;

class LostObjectsTest : public ::testing::Test {
 protected:
  ObjectId put(std::string_view type, std::string_view content) {
    return put_object(files_.root(), type, content, "top/.git/objects");
  }
  struct Entry {
    std::string mode;
    std::string name;
    ObjectId id;
  };
  static std::string tree_text(const std::vector<Entry>& entries) {
    std::string text;
    for (const Entry& entry : entries) {
      text += entry.mode + " " + entry.name + '\0';
      text += as_text(entry.id.bytes());
    }
    return text;
  }
  ObjectId tree(const std::vector<Entry>& entries) { return put("tree", tree_text(entries)); }
  static std::string commit_text(const ObjectId& tree, const std::vector<ObjectId>& parents,
                                 int time) {
    std::string text = "tree " + tree.hex() + "\n";
    for (const ObjectId& parent : parents) text += "parent " + parent.hex() + "\n";
    const std::string ident = " A <a@b> " + std::to_string(time) + " +0000\n";
    return text + "author" + ident + "committer" + ident + "\nx\n";
  }
  ObjectId commit(const ObjectId& tree, const std::vector<ObjectId>& parents, int time) {
    return put("commit", commit_text(tree, parents, time));
  }
  void ref(const std::string& name, const ObjectId& id) { files_.write(name, id.hex() + "\n"); }
  static ObjectId absent(std::string_view type, std::string_view content) {
    return testing::id_of(testing::with_header(type, content));
  }
  LostObjects explain(const std::vector<ObjectId>& lost, const LostObjectLimits& limits = {}) {
    const auto store = ObjectStore::open(os::System::real(), files_.options());
    EXPECT_TRUE(store.has_value());
    return explain_lost_objects(**store, lost, limits);
  }
  LostObject explain_one(const ObjectId& lost) {
    const LostObjects result = explain({lost});
    EXPECT_TRUE(result.complete);
    return result.objects.at(lost);
  }

  testing::RepositoryFiles files_;
  const ObjectId blob_ = absent("blob", "lost\n");
};

using Names = std::vector<std::string>;

TEST_F(LostObjectsTest, TheNewestCommitThatHoldsItAndItsPath) {
  const ObjectId with = tree({{"40000", "dir", tree({{"100644", "old", blob_}})}});
  const ObjectId moved = tree({{"40000", "dir", tree({{"100644", "new", blob_}})}});
  const ObjectId without = tree({{"100644", "x", put("blob", "x")}});
  const ObjectId first = commit(with, {}, 100);
  const ObjectId second = commit(moved, {first}, 200);
  const ObjectId third = commit(without, {second}, 300);
  ref("refs/heads/main", third);
  ref("refs/heads/old", first);
  ref("refs/tags/second", second);
  const LostObject lost = explain_one(blob_);
  EXPECT_EQ(second, lost.commit);
  EXPECT_EQ("dir/new", lost.path);
  EXPECT_EQ((Names{"HEAD", "refs/heads/main", "refs/tags/second"}), lost.refs);
  EXPECT_EQ(3u, lost.ref_count);
  EXPECT_FALSE(lost.good_copy);
}

TEST_F(LostObjectsTest, TreesCommitsAndTopTrees) {
  const ObjectId lost_tree = absent("tree", tree_text({{"100644", "a", blob_}}));
  const ObjectId lost_top = absent("tree", tree_text({{"100644", "b", blob_}}));
  const ObjectId lost_commit = absent("commit", commit_text(lost_top, {}, 1));
  const ObjectId top = tree({{"40000", "sub", lost_tree}});
  const ObjectId first = commit(lost_top, {lost_commit}, 100);
  const ObjectId second = commit(top, {first}, 200);
  ref("refs/heads/main", second);
  EXPECT_EQ("sub", explain_one(lost_tree).path);
  EXPECT_EQ(second, explain_one(lost_tree).commit);
  EXPECT_EQ("", explain_one(lost_top).path);
  EXPECT_EQ(first, explain_one(lost_top).commit);
  EXPECT_EQ(std::nullopt, explain_one(lost_commit).path);
  EXPECT_EQ(first, explain_one(lost_commit).commit);
  EXPECT_EQ(2u, explain_one(lost_commit).ref_count);
}

TEST_F(LostObjectsTest, WhatARefOrATagNames) {
  ref("refs/tags/direct", blob_);
  const ObjectId tag =
      put("tag", "object " + blob_.hex() + "\ntype blob\ntag t\ntagger A <a@b> 1 +0000\n\nx\n");
  ref("refs/tags/annotated", tag);
  const LostObject lost = explain_one(blob_);
  EXPECT_EQ((Names{"refs/tags/annotated", "refs/tags/direct"}), lost.refs);
  EXPECT_EQ(std::nullopt, lost.commit);
}

TEST_F(LostObjectsTest, NobodyNeedsIt) {
  const LostObject lost = explain_one(blob_);
  EXPECT_EQ(std::nullopt, lost.commit);
  EXPECT_EQ(0u, lost.ref_count);
}

TEST_F(LostObjectsTest, ASoundCopyIsSeen) {
  put("blob", "lost\n");
  EXPECT_TRUE(explain_one(blob_).good_copy);
  testing::put_file(files_.root(), blob_, "damaged", "top/.git/objects");
  EXPECT_FALSE(explain_one(blob_).good_copy);
  // In an alternate.
  put_object(files_.root(), "blob", "lost\n", "other/objects");
  files_.write("objects/info/alternates", files_.path("other/objects") + "\n");
  EXPECT_TRUE(explain_one(blob_).good_copy);
}

TEST_F(LostObjectsTest, LimitsBoundTheWork) {
  ObjectId last = commit(tree({{"100644", "a", blob_}}), {}, 1);
  for (int time = 2; time < 100; ++time) last = commit(tree({}), {last}, time);
  ref("refs/heads/main", last);
  LostObjectLimits limits;
  limits.read_objects = 50;
  EXPECT_FALSE(explain({blob_}, limits).complete);
  limits.read_objects = 1000;
  EXPECT_TRUE(explain({blob_}, limits).complete);
  limits.lost = 1;
  const LostObjects some = explain({blob_, blob_, tree({})}, limits);
  EXPECT_EQ(1u, some.objects.size());
  EXPECT_FALSE(some.complete);
  limits.refs = 1;
  const LostObjects named = explain({blob_}, limits);
  EXPECT_EQ(1u, named.objects.at(blob_).refs.size());
  EXPECT_EQ(2u, named.objects.at(blob_).ref_count);
}

TEST_F(LostObjectsTest, HostileHistoriesMeetTheLimitsOfMemoryAndTime) {
  const ObjectId leaf = tree({{"100644", "z", blob_}});
  const ObjectId other = tree({{"100644", "y", put("blob", "y")}});
  const ObjectId top = tree({{"40000", std::string(100, 'a'), other}, {"40000", "b", leaf}});
  const ObjectId root = commit(tree({}), {}, 1);
  ref("refs/heads/main", commit(top, {root, root, root}, 2));
  EXPECT_TRUE(explain({blob_}).complete);

  LostObjectLimits limits;
  limits.path_bytes = 100;  // the second name has no place any more
  const LostObjects without_path = explain({blob_}, limits);
  EXPECT_FALSE(without_path.complete);
  EXPECT_EQ(std::nullopt, without_path.objects.at(blob_).path);
  limits.path_bytes = 101;
  EXPECT_TRUE(explain({blob_}, limits).complete);
  limits.links = 2;
  EXPECT_FALSE(explain({blob_}, limits).complete);
  limits.links = 3;
  EXPECT_TRUE(explain({blob_}, limits).complete);
  limits.steps = 1;  // two names lead there
  const LostObjects without_refs = explain({blob_}, limits);
  EXPECT_FALSE(without_refs.complete);
  EXPECT_EQ("b/z", without_refs.objects.at(blob_).path);
  EXPECT_EQ(0u, without_refs.objects.at(blob_).ref_count);
  limits.steps = 2;
  EXPECT_TRUE(explain({blob_}, limits).complete);
}

// 2^40 paths lead to the blob, through 41 trees.
TEST_F(LostObjectsTest, TreesAreEnteredOnce) {
  ObjectId top = tree({{"100644", "z", blob_}});
  for (int depth = 0; depth < 40; ++depth) top = tree({{"40000", "a", top}, {"40000", "b", top}});
  ref("refs/heads/main", commit(top, {}, 1));
  const LostObject lost = explain_one(blob_);
  ASSERT_TRUE(lost.path.has_value());
  EXPECT_EQ(81u, lost.path->size());
}

TEST_F(LostObjectsTest, DamagedHistoryIsPassedOver) {
  const ObjectId bad_tree = put("tree", "garbage");
  const ObjectId bad_commit = put("commit", "garbage");
  const ObjectId good = commit(tree({{"100644", "a", blob_}}), {bad_commit}, 5);
  ref("refs/heads/main", commit(bad_tree, {good, bad_tree}, 9));
  EXPECT_EQ(good, explain_one(blob_).commit);
}

}  // namespace
}  // namespace assay
