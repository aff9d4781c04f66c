#include "store/fsck/check_reflogs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/failing_system.h"
#include "tests/support/fake_objects.h"
#include "tests/support/findings_text.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

using testing::exit_status_of;
using testing::id_of_digit;
using testing::lines_of;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kC(40, 'c');
const std::string kZero(40, '0');

std::string line(const std::string& from, const std::string& to, std::uint64_t time = 1000) {
  return from + " " + to + " A <a@b> " + std::to_string(time) + " +0000\tx\n";
}

class CheckReflogs : public ::testing::Test {
 protected:
  CheckReflogs() {
    objects_.add(id_of_digit('a'), ObjectType::kCommit);
    objects_.add(id_of_digit('b'), ObjectType::kCommit);
    options_.now = 5000;
  }
  std::string check(const std::string& directory = "top", os::System& system = os::System::real()) {
    const auto repository = Repository::open(system, files_.options(files_.path(directory)));
    if (!repository) return repository.error().text;
    findings_.findings().clear();
    roots_ = {};
    check_reflogs(*repository, options_, objects_, policy_, roots_, findings_);
    return lines_of(findings_);
  }

  testing::RepositoryFiles files_;
  testing::FakeObjects objects_;
  testing::RecordedRoots roots_;
  ReflogCheckOptions options_;
  Policy policy_;
  FindingList findings_;
};

TEST_F(CheckReflogs, EntriesAreRootsAndNullIdsAreNot) {
  files_.write("logs/HEAD", line(kZero, kA, 7) + line(kA, kB, 8));
  EXPECT_EQ(check(), "");
  EXPECT_EQ(roots_.lines(), (std::vector<std::string>{"aaaa unknown HEAD@{7}", "aaaa unknown ",
                                                      "bbbb unknown HEAD@{8}"}));
}

TEST_F(CheckReflogs, AbsentIdsAreInvalidEntries) {
  files_.write("logs/HEAD", line(kA, kC) + line(kC, kB));
  files_.write("logs/refs/heads/main", line(kC, kZero));
  EXPECT_EQ(check(), "error: HEAD: invalid reflog entry " + kC +
                         "\nerror: HEAD: invalid reflog entry " + kC +
                         "\nerror: refs/heads/main: invalid reflog entry " + kC + "\n");
  EXPECT_EQ(exit_status_of(findings_), 2);
  EXPECT_EQ(findings_.findings()[0].file, ".git/logs/HEAD");
  EXPECT_EQ(findings_.findings()[0].order.phase, 30U);
  objects_.promise(id_of_digit('c'));
  EXPECT_EQ(check(), "");
}

TEST_F(CheckReflogs, EntriesYoungerThanTheRunAreLeftAlone) {
  files_.write("logs/HEAD", line(kA, kC, 5001));
  EXPECT_EQ(check(), "");
  files_.write("logs/HEAD", line(kA, kC, 5000));
  EXPECT_EQ(exit_status_of(findings_), 0);
  EXPECT_NE(check(), "");
}

TEST_F(CheckReflogs, LinesThatAreNoEntriesAreCounted) {
  files_.write("logs/refs/heads/x", line(kA, kB) + "junk\n" + line(kA, kA) + std::string(9, '\0'));
  EXPECT_EQ(check(), "warning: refs/heads/x: 2 lines of the reflog cannot be read, first line 2\n");
  EXPECT_EQ(roots_.lines().size(), 4U);
  EXPECT_EQ(exit_status_of(findings_), 0);
  files_.write("logs/refs/heads/x", line(kA, kB) + "junk\n");
  EXPECT_EQ(check(), "warning: refs/heads/x: 1 line of the reflog cannot be read, first line 2\n");
}

TEST_F(CheckReflogs, WorktreesHaveTheirOwnAndShareTheOthers) {
  files_.add_worktree("w");
  files_.write("logs/HEAD", line(kA, kC));
  files_.write("logs/refs/heads/main", line(kA, kC));
  files_.write("worktrees/w/logs/HEAD", line(kA, kC));
  files_.write("worktrees/w/logs/refs/bisect/bad", line(kA, kC));
  EXPECT_EQ(check(), "error: HEAD: invalid reflog entry " + kC +
                         "\nerror: refs/heads/main: invalid reflog entry " + kC +
                         "\nerror: worktrees/w/HEAD: invalid reflog entry " + kC +
                         "\nerror: worktrees/w/refs/bisect/bad: invalid reflog entry " + kC + "\n");
  EXPECT_EQ(check("work-w"), "error: main-worktree/HEAD: invalid reflog entry " + kC +
                                 "\nerror: refs/heads/main: invalid reflog entry " + kC +
                                 "\nerror: HEAD: invalid reflog entry " + kC +
                                 "\nerror: refs/bisect/bad: invalid reflog entry " + kC + "\n");
}

TEST_F(CheckReflogs, OtherFilesAreNoReflogs) {
  files_.write("logs/refs/heads/x.lock", line(kA, kC));
  ASSERT_EQ(0, mkfifo((files_.git_dir() + "/logs/refs/fifo").c_str(), 0600));
  EXPECT_EQ(check(), "");
}

TEST_F(CheckReflogs, LinesMayCrossTheWindows) {
  // About 9 MiB in lines of 92 bytes, read in windows of 4 MiB and in pieces of odd size.
  std::string text;
  while (text.size() < (std::size_t{9} << 20)) text += line(kA, kB);
  files_.write("logs/HEAD", text + line(kA, kC));
  testing::FailingSystem system;
  system.limit_reads(1'000'003);
  EXPECT_EQ(check("top", system), "error: HEAD: invalid reflog entry " + kC + "\n");
  const std::size_t lines = text.size() / line(kA, kB).size() + 1;
  EXPECT_EQ(roots_.lines().size(), 2 * lines - 1);
  // One line that is longer than the window.
  files_.write("logs/HEAD", line(kA, kB) + kA + " " + kC + " " +
                                std::string(std::size_t{5} << 20, 'n') + " <a> 1 +0000\n");
  EXPECT_EQ(check(), "error: HEAD: invalid reflog entry " + kC + "\n");
}

TEST_F(CheckReflogs, OnlyTheBeginningOfAnEndlessLineIsKept) {
  // The message of the first line and the name in the second are longer than what is kept.
  const std::string filler(std::size_t{40} << 20, 'n');
  std::string text = line(kA, kC);
  text.insert(text.size() - 1, filler);
  text += kA + " " + kA + " " + filler + "\n" + line(kB, kC, 7) + filler;
  files_.write("logs/HEAD", text);
  EXPECT_EQ(check(), "error: HEAD: invalid reflog entry " + kC +
                         "\nerror: HEAD: invalid reflog entry " + kC +
                         "\nwarning: HEAD: 2 lines of the reflog cannot be read, first line 2\n");
  EXPECT_EQ(roots_.lines(), (std::vector<std::string>{"aaaa unknown ", "bbbb unknown "}));
}

TEST_F(CheckReflogs, NamesWhatCannotBeRead) {
  files_.write("logs/HEAD", line(kA, kB));
  testing::FailingSystem system;
  system.before_open(
      [](const std::string& path, int) { return path.ends_with("logs/HEAD") ? EIO : 0; });
  EXPECT_EQ(check("top", system), "error: HEAD: cannot read .git/logs/HEAD: Input/output error\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
  testing::FailingSystem other;
  other.fail_all("list", EACCES);
  EXPECT_EQ(check("top", other), "error: cannot open directory .git/logs: Permission denied\n");
}

}  // namespace
}  // namespace assay
