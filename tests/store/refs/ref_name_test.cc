#include "store/refs/ref_name.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(RefName, AcceptsWhatGitAccepts) {
  for (const char* name :
       {"refs/heads/main", "refs/heads/@", "refs/heads/a.b", "refs/heads/{", "refs/heads/a@b",
        "refs/heads/x.locked", "refs/heads/-", "a/b", "refs/heads/\xc3\xa9", "refs/heads/a{@",
        "@/x", "refs/heads/lock", "refs/h\"e'a!d#s$%&/x"}) {
    EXPECT_TRUE(is_valid_ref_name(name)) << name;
  }
}

TEST(RefName, RefusesWhatGitRefuses) {
  for (const char* name : {"",
                           "@",
                           "/",
                           "refs//main",
                           "/refs/heads/x",
                           "refs/heads/",
                           "refs/heads/.x",
                           ".refs/x",
                           "refs/heads/x.lock",
                           "refs/x.lock/y",
                           "refs/heads/a..b",
                           "refs/heads/a.",
                           "refs/heads/@{1}",
                           "refs/heads/a b",
                           "refs/heads/a~1",
                           "refs/heads/a^",
                           "refs/heads/a:b",
                           "refs/heads/a?",
                           "refs/heads/a*",
                           "refs/heads/a[",
                           "refs/heads/a\\b",
                           "refs/heads/a\x7f",
                           "refs/heads/a\n",
                           "refs/heads/.lock"}) {
    EXPECT_FALSE(is_valid_ref_name(name)) << name;
  }
  EXPECT_FALSE(is_valid_ref_name(std::string_view("refs/heads/a\0b", 14)));
}

TEST(RefName, OneComponentIsEnoughOnlyWhenAllowed) {
  EXPECT_FALSE(is_valid_ref_name("HEAD"));
  EXPECT_TRUE(is_valid_ref_name("HEAD", true));
  EXPECT_FALSE(is_valid_ref_name("@", true));
}

TEST(RefName, RootRefs) {
  for (const char* name :
       {"HEAD", "ORIG_HEAD", "_HEAD", "A-B_HEAD", "AUTO_MERGE", "BISECT_EXPECTED_REV",
        "NOTES_MERGE_PARTIAL", "NOTES_MERGE_REF", "MERGE_AUTOSTASH"}) {
    EXPECT_TRUE(is_root_ref_name(name)) << name;
  }
  for (const char* name : {"FETCH_HEAD", "MERGE_HEAD", "head", "HEAD2", "AUTO", "HEADS",
                           "orig_HEAD", "refs/heads/HEAD", ""}) {
    EXPECT_FALSE(is_root_ref_name(name)) << name;
  }
  EXPECT_TRUE(is_pseudo_ref_name("FETCH_HEAD"));
  EXPECT_FALSE(is_pseudo_ref_name("HEAD"));
}

TEST(RefName, SafeNamesStayBelowTheirDirectory) {
  for (const char* name : {"refs/heads/a b", "refs/x", "refs/.a", "HEAD", "_"}) {
    EXPECT_TRUE(is_safe_ref_name(name)) << name;
  }
  for (const char* name : {"refs/", "refs/../config", "refs/a/../b", "refs/a//b", "refs/a/",
                           "refs/./a", "config", "../x", "", "HEAD/x", "A-B"}) {
    EXPECT_FALSE(is_safe_ref_name(name)) << name;
  }
}

TEST(RefName, SplitsWorktreePrefixes) {
  const auto place = [](std::string_view name) { return split_worktree_ref(name).place; };
  EXPECT_EQ(place("refs/heads/main"), WorktreeRefPlace::kShared);
  EXPECT_EQ(place("HEAD"), WorktreeRefPlace::kCurrentWorktree);
  EXPECT_EQ(place("refs/bisect/bad"), WorktreeRefPlace::kCurrentWorktree);
  EXPECT_EQ(place("main-worktree/HEAD"), WorktreeRefPlace::kMainWorktree);
  EXPECT_EQ(place("main-worktree/refs/heads/x"), WorktreeRefPlace::kShared);
  EXPECT_EQ(place("worktrees/w/refs/heads/x"), WorktreeRefPlace::kShared);
  EXPECT_EQ(place("worktrees/w"), WorktreeRefPlace::kShared);
  const auto split = split_worktree_ref("worktrees/w/refs/bisect/bad");
  EXPECT_EQ(split.place, WorktreeRefPlace::kOtherWorktree);
  EXPECT_EQ(split.worktree, "w");
  EXPECT_EQ(split.name, "refs/bisect/bad");
  EXPECT_EQ(split_worktree_ref("main-worktree/HEAD").name, "HEAD");
}

}  // namespace
}  // namespace assay
