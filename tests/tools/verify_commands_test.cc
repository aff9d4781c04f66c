// The sibling commands of fsck: commit-graph verify, multi-pack-index verify, refs verify.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/chunk_text.h"
#include "tests/support/installed_git.h"
#include "tests/support/run_tool.h"

namespace assay {
namespace {

using testing::run_git;
using testing::run_tool;
using testing::ToolResult;

// A bare repository with three commits, one after the other.
class VerifyCommands : public ::testing::Test {
 protected:
  VerifyCommands() {
    git({"init", "-q", "--bare", "-b", "main", "."});
    add_commit();
    add_commit();
    add_commit();
  }

  std::string git(const std::vector<std::string>& arguments, std::string_view input = "") {
    return run_git(root_.path(), arguments, input);
  }
  void add_commit() {
    const std::string number = std::to_string(++commits_);
    git({"fast-import", "--quiet"},
        "commit refs/heads/main\ncommitter A <a@example.com> 111291199" + number +
            " +0000\ndata 2\nm\n" + (commits_ > 1 ? "from refs/heads/main^0\n" : "") +
            "M 644 inline f\ndata 2\n" + number + "\n");
  }
  ToolResult assay(std::vector<std::string> arguments) { return run_tool(arguments, root_.path()); }
  // Changes the last byte, which is one of the checksum.
  void damage(const std::string& name) {
    std::string bytes = root_.read(name);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    root_.write(name, bytes);
  }

  testing::TemporaryDirectory root_;
  int commits_ = 0;
};

void expect_silence(const ToolResult& result) {
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
}

TEST_F(VerifyCommands, NothingToVerifyIsWell) {
  expect_silence(assay({"commit-graph", "verify"}));
  expect_silence(assay({"multi-pack-index", "verify"}));
  expect_silence(assay({"refs", "verify"}));
}

TEST_F(VerifyCommands, ACommitGraphIsVerified) {
  git({"commit-graph", "write", "--reachable"});
  expect_silence(assay({"commit-graph", "verify"}));
  expect_silence(assay({"commit-graph", "verify", "--object-dir", "objects"}));
  EXPECT_EQ(assay({"commit-graph", "verify", "--progress"}).err,
            "Verifying commits in commit graph: 100% (3/3), done.\n");
  damage("objects/info/commit-graph");
  ToolResult result = assay({"commit-graph", "verify"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "in ./objects/info/commit-graph:\n"
            "the commit-graph file has incorrect checksum and is likely corrupt\n");
  result = assay({"-c", "core.commitGraph=false", "commit-graph", "verify"});
  EXPECT_EQ(result.status, 1);
}

TEST_F(VerifyCommands, ACommitThatIsGoneIsMissed) {
  git({"commit-graph", "write", "--reachable"});
  const std::string id = git({"rev-parse", "main~1"}).substr(0, 40);
  for (const auto& entry : std::filesystem::directory_iterator(root_.path("objects/pack"))) {
    std::filesystem::remove(entry.path());
  }
  std::filesystem::remove(root_.path("objects/" + id.substr(0, 2) + "/" + id.substr(2)));
  const ToolResult result = assay({"commit-graph", "verify"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "in ./objects/info/commit-graph:\nerror: Could not read " + id +
                            "\nfailed to parse commit " + id +
                            " from object database for commit-graph\n");
}

TEST_F(VerifyCommands, ShallowLeavesLowerLayersAlone) {
  git({"commit-graph", "write", "--reachable", "--split"});
  const std::string folder = "objects/info/commit-graphs/";
  const std::string lower =
      folder + "graph-" + root_.read(folder + "commit-graph-chain").substr(0, 40) + ".graph";
  add_commit();
  git({"commit-graph", "write", "--reachable", "--split=no-merge"});
  std::string bytes = root_.read(lower);
  bytes[testing::chunk_offset(bytes, "CDAT")] ^= 1;  // the tree of a commit
  root_.write(lower, bytes);
  const ToolResult result = assay({"commit-graph", "verify"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("root tree OID for commit "), std::string::npos) << result.err;
  expect_silence(assay({"commit-graph", "verify", "--shallow"}));
}

TEST_F(VerifyCommands, AnObjectDirectoryThatIsNoneIsFatal) {
  ToolResult result = assay({"commit-graph", "verify", "--object-dir", "nowhere"});
  EXPECT_EQ(result.status, 128);
  EXPECT_EQ(result.err, "fatal: could not find object directory matching nowhere\n");
  result = assay({"multi-pack-index", "--object-dir=nowhere", "verify"});
  EXPECT_EQ(result.status, 128);
  EXPECT_EQ(result.err, "fatal: object directory nowhere does not exist\n");
}

TEST_F(VerifyCommands, AMultiPackIndexIsVerified) {
  git({"repack", "-adq"});
  git({"multi-pack-index", "write"});
  expect_silence(assay({"multi-pack-index", "verify"}));
  expect_silence(assay({"multi-pack-index", "--object-dir=objects", "verify"}));
  EXPECT_EQ(assay({"multi-pack-index", "verify", "--progress"}).err,
            "Verifying OID order in multi-pack-index: 100% (8/8), done.\n"
            "Sorting objects by packfile: 100% (9/9), done.\n"
            "Verifying object offsets: 100% (9/9), done.\n");
  damage("objects/pack/multi-pack-index");
  const ToolResult result = assay({"multi-pack-index", "verify"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "in ./objects/pack/multi-pack-index:\nincorrect checksum\n");
}

TEST_F(VerifyCommands, AMultiPackIndexOfAnyDirectoryIsVerified) {
  git({"repack", "-adq"});
  git({"multi-pack-index", "write"});
  damage("objects/pack/multi-pack-index");
  const testing::TemporaryDirectory other;
  run_git(other.path(), {"init", "-q", "--bare", "."});
  const std::vector<std::string> command = {"multi-pack-index", "verify", "--object-dir",
                                            root_.path("objects")};
  EXPECT_EQ(run_tool(command, other.path()).status, 1);
}

TEST_F(VerifyCommands, ProgressOfFsckNamesDerivedFilesToo) {
  git({"repack", "-adq"});
  git({"multi-pack-index", "write"});
  git({"commit-graph", "write", "--reachable"});
  const std::string said = assay({"fsck", "--progress"}).err;
  for (const char* line : {"Verifying commits in commit graph: 100% (3/3), done.\n",
                           "Verifying OID order in multi-pack-index: 100% (8/8), done.\n",
                           "Verifying object offsets: 100% (9/9), done.\n"}) {
    EXPECT_NE(said.find(line), std::string::npos) << said;
  }
  EXPECT_EQ(assay({"fsck", "--no-progress"}).err, "");
}

TEST_F(VerifyCommands, RefsAreJudgedInGitsWords) {
  const std::string garbage = "refs/heads/garbage: badRefContent: xyz\n";
  root_.write("refs/heads/garbage", "xyz\n");
  ToolResult result = assay({"refs", "verify"});
  EXPECT_EQ(result.status, 255);
  EXPECT_EQ(result.err, "error: " + garbage);
  result = assay({"-c", "fsck.badRefContent=warn", "refs", "verify"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "warning: " + garbage);
  // --strict does not touch what the configuration sets.
  EXPECT_EQ(assay({"-c", "fsck.badRefContent=warn", "refs", "verify", "--strict"}).status, 0);
  expect_silence(assay({"-c", "fsck.badRefContent=ignore", "refs", "verify"}));
  result = assay({"-c", "fsck.badRefContents=warn", "refs", "verify"});
  EXPECT_EQ(result.status, 128);
}

TEST_F(VerifyCommands, VerboseNamesTheFilesOfRefs) {
  git({"update-ref", "refs/tags/t", "main"});
  git({"pack-refs", "--all"});
  git({"update-ref", "refs/heads/x", "main"});
  const ToolResult result = assay({"refs", "verify", "--verbose"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err,
            "Checking references consistency\nChecking refs/heads/x\nChecking HEAD\n"
            "Checking packed-refs file ./packed-refs\n");
}

TEST_F(VerifyCommands, WrongUseIs129) {
  for (const char* command : {"commit-graph", "multi-pack-index", "refs"}) {
    EXPECT_EQ(assay({command}).status, 129);
    EXPECT_EQ(assay({command, "write"}).status, 129);
    EXPECT_EQ(assay({command, "verify", "more"}).status, 129);
    EXPECT_EQ(assay({command, "verify", "--nonsense"}).status, 129);
  }
}

TEST(VerifyCommandsOutside, NeedARepository) {
  const testing::TemporaryDirectory empty;
  for (const char* command : {"commit-graph", "multi-pack-index", "refs"}) {
    EXPECT_EQ(run_tool({command, "verify"}, empty.path()).status, 128);
  }
}

}  // namespace
}  // namespace assay
