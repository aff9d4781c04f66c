#include "store/repository/worktrees.h"

#include <gtest/gtest.h>

#include "tests/support/failing_system.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

using testing::RepositoryFiles;

WorktreeList list(const RepositoryFiles& files, const std::string& git_dir) {
  return list_worktrees(os::System::real(), files.git_dir(), git_dir);
}

TEST(Worktrees, ListsTheMainOneAndThoseThatAreLinked) {
  const RepositoryFiles files;
  files.add_worktree("b");
  files.add_worktree("a");
  files.write("worktrees/no-link/HEAD", "x");
  files.write("worktrees/empty-link/gitdir", "");
  files.write("worktrees/file", "x");
  const auto found = list(files, files.git_dir());
  ASSERT_EQ(found.worktrees.size(), 3U);
  EXPECT_EQ(found.worktrees[0].id, "");
  EXPECT_EQ(found.worktrees[1].id, "a");
  EXPECT_EQ(found.worktrees[1].git_dir, files.git_dir() + "/worktrees/a");
  EXPECT_TRUE(found.worktrees[0].is_current);
  EXPECT_FALSE(found.worktrees[1].is_current);
  EXPECT_EQ(found.worktrees[0].ref_name("HEAD"), "HEAD");
  EXPECT_EQ(found.worktrees[1].ref_name("HEAD"), "worktrees/a/HEAD");
  EXPECT_TRUE(found.problems.empty());
}

TEST(Worktrees, KnowsTheCurrentOne) {
  const RepositoryFiles files;
  files.add_worktree("a");
  const auto found = list(files, files.git_dir() + "/worktrees/a/.");
  EXPECT_FALSE(found.worktrees[0].is_current);
  EXPECT_TRUE(found.worktrees[1].is_current);
  EXPECT_EQ(found.worktrees[0].ref_name("HEAD"), "main-worktree/HEAD");
}

TEST(Worktrees, NamesADirectoryThatCannotBeListed) {
  const RepositoryFiles files;
  files.add_worktree("a");
  testing::FailingSystem system;
  system.fail_all("list", EACCES);
  const auto found = list_worktrees(system, files.git_dir(), files.git_dir());
  EXPECT_EQ(found.worktrees.size(), 1U);
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].text,
            "cannot open directory " + files.git_dir() + "/worktrees: Permission denied");
}

}  // namespace
}  // namespace assay
