#include <gtest/gtest.h>

#include "tests/support/failing_system.h"
#include "tests/support/run_tool.h"

namespace assay {
namespace {

using testing::run_tool;

class InitTest : public ::testing::Test {
 protected:
  testing::ToolResult init(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "init");
    return run_tool(arguments, root_.path());
  }
  testing::TemporaryDirectory root_;
};

TEST_F(InitTest, MakesARepositoryOnceAndKeepsItThen) {
  const auto first = init({"a/b"});
  EXPECT_EQ(0, first.status) << first.err;
  EXPECT_EQ("Initialized empty Git repository in " + root_.path("a/b/.git/") + "\n", first.out);
  EXPECT_EQ("ref: refs/heads/master\n", root_.read("a/b/.git/HEAD"));
  root_.write("a/b/.git/HEAD", "ref: refs/heads/other\n");
  const auto again = init({"a/b"});
  EXPECT_EQ(0, again.status);
  EXPECT_EQ("Reinitialized existing Git repository in " + root_.path("a/b/.git/") + "\n",
            again.out);
  EXPECT_EQ("ref: refs/heads/other\n", root_.read("a/b/.git/HEAD"));
}

TEST_F(InitTest, BareBranchAndHash) {
  EXPECT_EQ("", init({"--bare", "-q", "-b", "trunk", "bare.git"}).out);
  EXPECT_EQ("ref: refs/heads/trunk\n", root_.read("bare.git/HEAD"));
  EXPECT_NE(std::string::npos, root_.read("bare.git/config").find("\tbare = true\n"));
  EXPECT_EQ(0, init({"-q", "--object-format=sha256", "new"}).status);
  EXPECT_NE(std::string::npos, root_.read("new/.git/config").find("\tobjectformat = sha256\n"));
  const auto other = init({"--object-format=sha1", "new"});
  EXPECT_EQ(128, other.status);
  EXPECT_EQ("fatal: attempt to reinitialize repository with different hash\n", other.err);
  EXPECT_EQ("fatal: unknown hash algorithm 'md5'\n", init({"--object-format=md5", "x"}).err);
  EXPECT_EQ("fatal: invalid initial branch name: 'a..b'\n", init({"-b", "a..b", "x"}).err);
  EXPECT_EQ(129, init({"one", "two"}).status);
}

TEST_F(InitTest, EveryCallMayFailAndASecondTryCompletes) {
  for (int call = 0;; ++call) {
    const testing::TemporaryDirectory here;
    testing::FailingSystem system;
    system.fail_call(call, ENOSPC);
    const auto result = run_tool({"init", "-q", "repo"}, here.path(), "", system);
    if (result.status == 0 && call > 30) break;
    if (result.status != 0) {
      EXPECT_EQ(128, result.status) << call;
      EXPECT_FALSE(std::filesystem::exists(here.path("repo/.git/HEAD"))) << call;
    }
    const auto again = run_tool({"init", "-q", "repo"}, here.path());
    EXPECT_EQ(0, again.status) << again.err;
    EXPECT_EQ(0, run_tool({"count-objects"}, here.path("repo")).status) << call;
    ASSERT_LT(call, 200);
  }
}

}  // namespace
}  // namespace assay
