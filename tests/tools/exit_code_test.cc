// --exit-code=simple: which status for which findings.
#include "tools/fsck/exit_code.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "store/os/system.h"
#include "tests/support/loose_files.h"
#include "tests/support/repository_files.h"
#include "tests/support/run_tool.h"
#include "tools/fsck/outcome.h"

namespace assay::tools {
namespace {

using testing::run_tool;

Finding found(MessageId id, std::string text = "", std::vector<std::string> causes = {}) {
  Finding finding;
  finding.id = id;
  finding.severity = message(id).severity;
  finding.text = std::move(text);
  finding.causes = std::move(causes);
  return finding;
}

std::string words(int code) { return "unable to open x: " + os::Error{code}.text(); }

int status_of(const std::vector<Finding>& findings, bool strict_exit = false) {
  return simple_status(findings, strict_exit);
}

TEST(SimpleExit, SoundAndHarmless) {
  EXPECT_EQ(0, status_of({}));
  EXPECT_EQ(0, status_of({}, true));
  EXPECT_EQ(0, status_of({found(MessageId::kDangling), found(MessageId::kRoot)}, true));
  for (const MessageId id :
       {MessageId::kBadDate, MessageId::kPackNameMismatch, MessageId::kBadFilemode}) {
    EXPECT_EQ(0, status_of({found(id)}));
    EXPECT_EQ(5, status_of({found(id)}, true));
  }
}

TEST(SimpleExit, IntegrityAndSecurityErrorsAre1) {
  for (const MessageId id : {MessageId::kHashPathMismatch, MessageId::kMissing,
                             MessageId::kCollisionDetected, MessageId::kMissingTree}) {
    EXPECT_EQ(1, status_of({found(MessageId::kBadDate), found(id)}, true));
  }
  Finding raised = found(MessageId::kHasDotgit);
  EXPECT_EQ(0, status_of({raised}));
  raised.severity = Severity::kError;
  EXPECT_EQ(1, status_of({raised}));
}

TEST(SimpleExit, WhatCouldNotBeReadIsNoDamage) {
  const Finding missing = found(MessageId::kMissing);
  for (const int code : {EIO, ENOMEM, EMFILE, ENFILE, ESTALE}) {
    EXPECT_EQ(75, status_of({found(MessageId::kPackBad, words(code)), missing})) << code;
    EXPECT_EQ(75, status_of({missing, found(MessageId::kObjectCorrupt, "x", {words(code)})}));
  }
  for (const int code : {EACCES, EPERM}) {
    EXPECT_EQ(11, status_of({found(MessageId::kDirectoryUnreadable, words(code)), missing,
                             found(MessageId::kMultiPackIndexUnreadable, "failed to parse")}));
  }
  EXPECT_EQ(75, status_of({found(MessageId::kPackBad, words(EACCES)),
                           found(MessageId::kPackBad, words(EIO))}));
  EXPECT_EQ(75, status_of({found(MessageId::kIoError, "inflate: out of memory")}));
  EXPECT_EQ(75, status_of({found(MessageId::kPackBad, words(ENOMEM)),
                           found(MessageId::kReverseIndexBad)}));
  EXPECT_EQ(1, status_of({found(MessageId::kReverseIndexBad)}));
  // Other reasons are damage.
  EXPECT_EQ(1, status_of({found(MessageId::kPackBad, words(ENOENT))}));
  EXPECT_EQ(1, status_of({found(MessageId::kPackBad, words(ELOOP))}));
}

TEST(SimpleExit, ProvenDamageCountsBeforeWhatCouldNotBeRead) {
  EXPECT_EQ(1, status_of({found(MessageId::kPackBad, words(EIO)),
                          found(MessageId::kPackedObjectCorrupt)}));
  EXPECT_EQ(1, status_of({found(MessageId::kPackChanged), found(MessageId::kPackGap)}));
}

TEST(SimpleExit, ChangingAndWrongUse) {
  EXPECT_EQ(4, status_of({found(MessageId::kPackChanged), found(MessageId::kBrokenLink)}));
  Finding doubtful = found(MessageId::kRepositoryChanging);
  doubtful.bit = ExitBit::kBitInconclusive;
  EXPECT_EQ(4, status_of({doubtful}));
  EXPECT_EQ(1, status_of({doubtful, found(MessageId::kPackGap)}));
  EXPECT_EQ(2, status_of({found(MessageId::kInvalidParameter)}));
}

TEST(SimpleExit, RunsThatCouldNotBegin) {
  EXPECT_EQ(10, simple_status(Fault(MessageId::kConfigBad, "not a git repository: 'x'")));
  EXPECT_EQ(10, simple_status(Fault(MessageId::kConfigBad, "unknown repository extension")));
  EXPECT_EQ(11, simple_status(Fault(MessageId::kConfigBad, words(EACCES))));
  EXPECT_EQ(75, simple_status(Fault(MessageId::kConfigBad, words(EMFILE))));
}

TEST(SimpleExit, SeveralRepositories) {
  EXPECT_EQ(1, joined_simple_status(10, 1));
  EXPECT_EQ(10, joined_simple_status(10, 0));
  EXPECT_EQ(5, joined_simple_status(0, 5));
  EXPECT_EQ(75, joined_simple_status(4, 75));
  EXPECT_EQ(0, joined_simple_status(0, 0));
}

TEST(GitsExit, SeveralRepositories) {
  const OutcomeSettings git;
  EXPECT_EQ(5, joined_status(git, 4, 1));
  EXPECT_EQ(128, joined_status(git, 128, 1));
  EXPECT_EQ(128, joined_status(git, 2, 128));
  EXPECT_EQ(240, joined_status(git, 0, 240));
  EXPECT_EQ(240, joined_status(git, 240, 0));
  EXPECT_EQ(4, joined_status(git, 240, 4));
  EXPECT_EQ(4, joined_status(git, 4, 240));
}

class SimpleExitRun : public ::testing::Test {
 protected:
  int run(std::vector<std::string> options = {}, os::System& system = os::System::real()) {
    options.insert(options.begin(), {"fsck", "--exit-code=simple"});
    return run_tool(options, files_.top(), "", system).status;
  }
  ObjectId put(std::string_view type, std::string_view content) {
    return testing::put_object(files_.root(), type, content, "top/.git/objects");
  }
  testing::RepositoryFiles files_;
};

TEST_F(SimpleExitRun, OfTheProgram) {
  EXPECT_EQ(0, run());
  EXPECT_EQ(10, run({"--repo", "/nonexistent"}));
  EXPECT_EQ(2, run({"--nonsense"}));
  EXPECT_EQ(2, run({"-j", "many"}));
  EXPECT_EQ(2, run({"no-such-object"}));
  put("commit", "tree " + put("tree", "").hex() +
                    "\nauthor A <a@b> 01 +0000\ncommitter A <a@b> 1 " + "+0000\n\nx\n");
  EXPECT_EQ(0, run());
  EXPECT_EQ(5, run({"--strict-exit"}));
  EXPECT_EQ(0, run({"--strict-exit", "--no-strict-exit"}));
  files_.write("objects/12/34567890123456789012345678901234567890", "no object");
  EXPECT_EQ(1, run({"--strict-exit"}));
  EXPECT_EQ(1, run({"--repo", "/nonexistent", "--repo", "."}));
  EXPECT_EQ(1, run({"--repo", ".", "--repo", "/nonexistent"}));
}

TEST_F(SimpleExitRun, GitsBitsAreTheDefault) {
  EXPECT_EQ(129, run_tool({"fsck", "--nonsense"}, files_.top()).status);
  EXPECT_EQ(128, run_tool({"fsck", "--repo", "/nonexistent"}, files_.top()).status);
  EXPECT_EQ(128, run({"--exit-code=git", "--repo", "/nonexistent"}));
  const auto wrong = run_tool({"fsck", "--exit-code=1"}, files_.top());
  EXPECT_EQ(129, wrong.status);
  EXPECT_EQ("error: exit-code expects git or simple\n", wrong.err);
}

}  // namespace
}  // namespace assay::tools
