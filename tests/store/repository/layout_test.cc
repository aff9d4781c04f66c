#include "store/repository/layout.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/repository_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::RepositoryFiles;

class LayoutTest : public ::testing::Test {
 protected:
  Result<RepositoryLayout> discover(const std::string& directory) {
    return discover_with(files_.options(directory));
  }
  static Result<RepositoryLayout> discover_with(const OpenOptions& options) {
    return discover_layout(os::System::real(), options);
  }
  std::string fault_of(const OpenOptions& options) {
    const auto layout = discover_with(options);
    return layout ? "none" : layout.error().text;
  }
  std::string fault_of(const std::string& directory) { return fault_of(files_.options(directory)); }

  RepositoryFiles files_;
  const std::string none_ = "not a git repository (or any of the parent directories): .git";
};

TEST_F(LayoutTest, FindsADotGitDirectoryUpwards) {
  fs::create_directories(files_.path("top/a/b"));
  for (const char* directory : {"top", "top/a/b", "top/."}) {
    const auto layout = discover(files_.path(directory));
    ASSERT_TRUE(layout) << layout.error().text;
    EXPECT_EQ(fs::canonical(layout->git_dir), files_.git_dir());
    EXPECT_EQ(layout->shown_git_dir, ".git");
    EXPECT_EQ(layout->shown_objects_dir, ".git/objects");
    EXPECT_EQ(layout->common_dir, layout->git_dir);
    EXPECT_EQ(layout->objects_dir, layout->git_dir + "/objects");
    EXPECT_EQ(layout->index_file, layout->git_dir + "/index");
    EXPECT_EQ(layout->work_tree, files_.top());
    EXPECT_FALSE(layout->is_linked_worktree);
    EXPECT_FALSE(layout->fault);
  }
}

TEST_F(LayoutTest, FindsABareRepositoryAndItsInside) {
  files_.make_git_directory("bare.git");
  const auto layout = discover(files_.path("bare.git"));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->git_dir, files_.path("bare.git"));
  EXPECT_EQ(layout->shown_objects_dir, "./objects");
  EXPECT_EQ(layout->work_tree, "");
  const auto inside = discover(files_.path("bare.git/objects"));
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->shown_objects_dir, files_.path("bare.git/objects"));
}

TEST_F(LayoutTest, FollowsDotGitFilesAndCommonDirectories) {
  files_.add_worktree("w");
  const auto layout = discover(files_.path("work-w"));
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->git_dir, files_.git_dir() + "/worktrees/w");
  EXPECT_EQ(layout->common_dir, files_.git_dir());
  EXPECT_EQ(layout->objects_dir, files_.git_dir() + "/objects");
  EXPECT_TRUE(layout->is_linked_worktree);
  EXPECT_EQ(layout->work_tree, files_.path("work-w"));
  files_.root().write("relative/.git", "gitdir: ../top/.git\n\n");
  EXPECT_EQ(discover(files_.path("relative"))->git_dir, files_.git_dir());
}

TEST_F(LayoutTest, TakesAnExplicitGitDirectory) {
  OpenOptions options = files_.options(files_.path("top"));
  options.git_dir = ".git";
  auto layout = discover_with(options);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->git_dir, files_.git_dir());
  EXPECT_EQ(layout->shown_git_dir, ".git");
  options = files_.options(files_.root().path());
  options.environment.set("GIT_DIR", files_.git_dir());
  EXPECT_EQ(discover_with(options)->git_dir, files_.git_dir());
  files_.root().write("file", "gitdir: top/.git\n");
  options.git_dir = "file";  // stronger than GIT_DIR
  EXPECT_EQ(discover_with(options)->git_dir, files_.git_dir());
  options.git_dir = "nowhere";
  EXPECT_EQ(fault_of(options), "not a git repository: 'nowhere'");
}

TEST_F(LayoutTest, HonoursTheEnvironment) {
  OpenOptions options = files_.options();
  options.environment.set("GIT_OBJECT_DIRECTORY", "elsewhere");
  options.environment.set("GIT_INDEX_FILE", "my-index");
  EXPECT_EQ(fault_of(options), none_);  // there is no such directory
  fs::create_directories(files_.path("top/elsewhere"));
  auto layout = discover_with(options);
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->objects_dir, files_.path("top/elsewhere"));
  EXPECT_EQ(layout->shown_objects_dir, "elsewhere");
  EXPECT_EQ(layout->index_file, files_.path("top/my-index"));

  files_.make_git_directory("common");
  options = files_.options();
  options.environment.set("GIT_COMMON_DIR", "../common");
  layout = discover_with(options);
  EXPECT_EQ(layout->common_dir, files_.path("top/../common"));
  EXPECT_EQ(layout->objects_dir, files_.path("top/../common/objects"));
}

TEST_F(LayoutTest, StopsAtCeilings) {
  fs::create_directories(files_.path("top/a/b"));
  OpenOptions options = files_.options(files_.path("top/a/b"));
  const auto with = [&](const std::string& ceilings) {
    options.environment.set("GIT_CEILING_DIRECTORIES", ceilings + ":" + files_.root().path());
    return fault_of(options);
  };
  EXPECT_EQ(with(""), "none");
  EXPECT_EQ(with(files_.path("top/a")), none_);
  EXPECT_EQ(with(files_.path("top/a/")), none_);
  EXPECT_EQ(with(files_.top()), none_);
  EXPECT_EQ(with(files_.path("top/a/b")), "none");  // not an ancestor
  EXPECT_EQ(with(files_.path("top/x")), "none");
  EXPECT_EQ(with("top/a"), "none");  // relative ones do not count
  fs::create_directory_symlink("a", files_.path("top/link"));
  EXPECT_EQ(with(files_.path("top/link")), none_);
  EXPECT_EQ(with(":" + files_.path("top/link")), "none");  // after an empty one: as written
}

TEST_F(LayoutTest, AcceptsWhatGitTakesForAHead) {
  for (const std::string& head :
       {std::string("ref: refs/heads/x"), std::string("ref:\trefs/"), std::string(40, 'a'),
        std::string(64, 'b') + "\n", std::string(40, 'a') + " junk"}) {
    files_.write("HEAD", head);
    EXPECT_FALSE(discover(files_.top())->fault) << head;
  }
  fs::remove(files_.git_dir() + "/HEAD");
  fs::create_symlink("refs/heads/main", files_.git_dir() + "/HEAD");
  EXPECT_FALSE(discover(files_.top())->fault);
}

// git says "not a git repository" and leaves people alone with it.
TEST_F(LayoutTest, GoesOnWithoutASoundHead) {
  for (const std::string& head :
       {std::string(), std::string(41, '\0'), std::string("ref: heads/x\n"), std::string("x\n")}) {
    files_.write("HEAD", head);
    const auto layout = discover(files_.top());
    ASSERT_TRUE(layout) << layout.error().text;
    ASSERT_TRUE(layout->fault);
    EXPECT_EQ(layout->fault->text,
              "not a git repository: '.git': HEAD is neither a ref nor an object id");
    EXPECT_EQ(message(layout->fault->id).bit, ExitBit::kBitDies);
  }
  fs::remove(files_.git_dir() + "/HEAD");
  EXPECT_TRUE(discover(files_.top())->fault);
  // A sound repository further up is the one that git would use.
  files_.make_git_directory("top/sub/.git");
  files_.write("HEAD", "ref: refs/heads/main\n");
  files_.root().write("top/sub/.git/HEAD", "x");
  EXPECT_FALSE(discover(files_.path("top/sub"))->fault);
}

TEST_F(LayoutTest, TakesNoOtherDirectoryForARepository) {
  EXPECT_EQ(fault_of(files_.root().path()), none_);
  fs::create_directories(files_.path("x/.git/objects"));
  files_.root().write("x/.git/HEAD", "ref: refs/heads/x\n");
  EXPECT_EQ(fault_of(files_.path("x")), none_);  // no refs
  fs::create_directories(files_.path("x/objects"));
  fs::create_directories(files_.path("x/refs"));
  EXPECT_EQ(fault_of(files_.path("x")), none_);  // no HEAD at all
  EXPECT_NE(fault_of(files_.path("nowhere")).find("cannot change to"), std::string::npos);
}

TEST_F(LayoutTest, SaysWhatIsWrongWithADotGitFile) {
  const std::string file = files_.path("x/.git");
  const auto with = [&](const std::string& content) {
    files_.root().write("x/.git", content);
    return fault_of(files_.path("x"));
  };
  EXPECT_EQ(with("gitdir /x\n"), "invalid gitfile format: " + file);
  EXPECT_EQ(with(""), "invalid gitfile format: " + file);
  EXPECT_EQ(with("gitdir: \n"), "no path in gitfile: " + file);
  EXPECT_EQ(with("gitdir: nowhere\n"), "gitfile does not point to a valid repository: " + file);
  EXPECT_EQ(with(std::string(2 << 20, 'x')), "too large to be a .git file: '" + file + "'");
  fs::remove(file);
  ASSERT_EQ(0, mkfifo(file.c_str(), 0600));
  EXPECT_EQ(fault_of(files_.path("x")), "not a regular file: '" + file + "'");
}

TEST(JoinedPath, KeepsAbsolutePathsAndDropsDots) {
  EXPECT_EQ(joined_path("a", "b"), "a/b");
  EXPECT_EQ(joined_path("a/", "b"), "a/b");
  EXPECT_EQ(joined_path("a", "/b"), "/b");
  EXPECT_EQ(joined_path(".", "b"), "b");
  EXPECT_EQ(joined_path("", "b"), "b");
}

}  // namespace
}  // namespace assay
