#include "store/fsck/check_refs.h"

#include <gtest/gtest.h>

#include <algorithm>

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

class CheckRefs : public ::testing::Test {
 protected:
  CheckRefs() {
    objects_.add(id_of_digit('a'), ObjectType::kCommit);
    objects_.add(id_of_digit('b'), ObjectType::kBlob);
  }
  std::string check(const std::string& directory = "top") {
    const auto repository =
        Repository::open(os::System::real(), files_.options(files_.path(directory)));
    if (!repository) return repository.error().text;
    const RefSnapshot snapshot = snapshot_refs(*repository);
    problems_ = snapshot.problems;
    findings_.findings().clear();
    roots_ = {};
    usable_ = check_refs(snapshot, objects_, policy_, roots_, findings_);
    return lines_of(findings_);
  }

  testing::RepositoryFiles files_;
  testing::FakeObjects objects_;
  testing::RecordedRoots roots_;
  Policy policy_;
  FindingList findings_;
  std::vector<Fault> problems_;
  std::size_t usable_ = 0;
};

TEST_F(CheckRefs, SoundRefsAreRoots) {
  files_.write("refs/heads/main", kA + "\n");
  files_.write("refs/tags/blob", kB + "\n");
  files_.write("refs/remotes/o/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(check(), "");
  EXPECT_EQ(roots_.lines(), (std::vector<std::string>{
                                "aaaa unknown refs/heads/main", "aaaa unknown refs/remotes/o/HEAD",
                                "bbbb unknown refs/tags/blob", "aaaa unknown HEAD"}));
  EXPECT_EQ(usable_, 4U);
  EXPECT_EQ(exit_status_of(findings_), 0);
}

TEST_F(CheckRefs, AbsentTargetsAreInvalidPointers) {
  files_.write("refs/heads/main", kC + "\n");
  EXPECT_EQ(check(), "error: refs/heads/main: invalid sha1 pointer " + kC +
                         "\nerror: HEAD: invalid sha1 pointer " + kC + "\n");
  EXPECT_EQ(exit_status_of(findings_), 2);
  EXPECT_EQ(usable_, 0U);
  EXPECT_TRUE(roots_.lines().empty());
  const Finding& finding = findings_.findings()[0];
  EXPECT_EQ(finding.ref, "refs/heads/main");
  EXPECT_EQ(finding.oid, id_of_digit('c'));
  EXPECT_EQ(finding.file, ".git/refs/heads/main");
  EXPECT_EQ(finding.order.phase, 20U);
  EXPECT_LT(findings_.findings()[0].order, findings_.findings()[1].order);
}

TEST_F(CheckRefs, PromisedTargetsAreUsableButNoRoots) {
  files_.write("refs/heads/main", kC + "\n");
  objects_.promise(id_of_digit('c'));
  EXPECT_EQ(check(), "");
  EXPECT_EQ(usable_, 2U);
  EXPECT_TRUE(roots_.lines().empty());
}

TEST_F(CheckRefs, BranchesAndHeadWantCommits) {
  files_.write("refs/heads/main", kB + "\n");
  files_.write("refs/headsx", kB + "\n");
  EXPECT_EQ(check(), "error: refs/heads/main: not a commit\nerror: HEAD: not a commit\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
  EXPECT_EQ(roots_.lines().size(), 3U);  // they are roots all the same
  EXPECT_EQ(usable_, 3U);
}

TEST_F(CheckRefs, BrokenRefsPointToNullAndAreExplained) {
  files_.write("refs/heads/other", kA + "\n");
  files_.write("refs/heads/main", std::string(41, '\0'));
  files_.write("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/gone\n");
  files_.write("refs/remotes/origin/main", "");
  EXPECT_EQ(check(),
            "error: refs/heads/main: invalid sha1 pointer " + kZero +
                "\nwarning: refs/heads/main: file holds NUL bytes only\n"
                "error: refs/remotes/origin/HEAD: invalid sha1 pointer " +
                kZero +
                "\nwarning: refs/remotes/origin/HEAD: points to refs/remotes/origin/gone, which "
                "does not exist\n"
                "error: refs/remotes/origin/main: invalid sha1 pointer " +
                kZero +
                "\nwarning: refs/remotes/origin/main: file is empty\n"
                "warning: HEAD: points to refs/heads/main, whose file holds NUL bytes only\n");
  EXPECT_EQ(exit_status_of(findings_), 2);
  EXPECT_EQ(usable_, 1U);
}

TEST_F(CheckRefs, ABrokenRefIsTracedInItsReflog) {
  files_.write("refs/heads/x", "");
  files_.write("logs/refs/heads/x", kZero + " " + kC + " A <a> 1 +0000\n" + kC + " " + kA +
                                        " A <a> 2 +0000\n" + std::string(20, '\0'));
  EXPECT_EQ(check(),
            "error: refs/heads/x: invalid sha1 pointer " + kZero +
                "\nwarning: refs/heads/x: file is empty; the last value in its reflog is " + kA +
                "\n");
}

TEST_F(CheckRefs, AnUnbornOrNullHeadIsFine) {
  EXPECT_EQ(check(), "");
  EXPECT_EQ(usable_, 0U);
  files_.write("HEAD", kZero + "\n");
  EXPECT_EQ(check(), "");
}

TEST_F(CheckRefs, HeadsOfAllWorktreesCount) {
  files_.add_worktree("w");
  files_.add_worktree("v");
  files_.write("refs/heads/main", kA + "\n");
  files_.write("worktrees/w/HEAD", kC + "\n");
  files_.write("worktrees/v/HEAD", kB + "\n");
  EXPECT_EQ(check(), "error: worktrees/w/HEAD: invalid sha1 pointer " + kC + "\n");
  EXPECT_EQ(roots_.lines().back(), "bbbb unknown worktrees/v/HEAD");  // only HEAD must be a commit
  EXPECT_EQ(check("work-w"), "error: HEAD: invalid sha1 pointer " + kC + "\n");
  EXPECT_EQ(roots_.lines()[1], "aaaa unknown main-worktree/HEAD");
}

TEST_F(CheckRefs, AHeadThatCannotBeReadIsAnError) {
  files_.add_worktree("w");
  files_.write("worktrees/w/HEAD", "");
  files_.write("refs/heads/main", kA + "\n");
  EXPECT_EQ(check(), "error: worktrees/w/HEAD: file is empty\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
}

TEST_F(CheckRefs, ProblemsOfTheStoreAreHandedOn) {
  files_.write("packed-refs", "junk\n" + kA + " refs/heads/x\n");
  EXPECT_EQ(check(), "");
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_EQ(problems_[0].text, "unexpected line in .git/packed-refs: junk");
  EXPECT_EQ(roots_.lines().size(), 1U);
}

TEST_F(CheckRefs, GivenArgumentsAreJudgedAsRefs) {
  const std::size_t usable = check_given_roots(
      {{"x", id_of_digit('a')}, {"gone", id_of_digit('c')}, {"refs/heads/b", id_of_digit('b')}},
      objects_, policy_, roots_, findings_);
  EXPECT_EQ(usable, 2U);
  EXPECT_EQ(lines_of(findings_),
            "error: gone: invalid sha1 pointer " + kC + "\nerror: refs/heads/b: not a commit\n");
  EXPECT_EQ(roots_.lines(),
            (std::vector<std::string>{"aaaa unknown x", "bbbb unknown refs/heads/b"}));
}

TEST_F(CheckRefs, NoDefaultReferencesIsANotice) {
  report_no_default_references(policy_, findings_);
  EXPECT_EQ(lines_of(findings_), "notice: No default references\n");
  EXPECT_EQ(exit_status_of(findings_), 0);
}

TEST_F(CheckRefs, PrivateRefsOfOtherWorktreesAreRoots) {
  files_.write("refs/heads/main", kA + "\n");
  files_.write("refs/bisect/bad", kA + "\n");
  files_.add_worktree("w");
  files_.write("worktrees/w/refs/bisect/good", kA + "\n");
  files_.write("worktrees/w/refs/worktree/deep/x", kB + "\n");
  files_.write("worktrees/w/refs/rewritten/y", kA + "\n");
  files_.write("worktrees/w/refs/heads/no", kC + "\n");  // shared refs do not lie here
  EXPECT_EQ(check(), "");
  const std::vector<std::string> from_main = {"aaaa unknown refs/bisect/bad",
                                              "aaaa unknown refs/heads/main",
                                              "aaaa unknown HEAD",
                                              "aaaa unknown worktrees/w/refs/bisect/good",
                                              "aaaa unknown worktrees/w/refs/rewritten/y",
                                              "bbbb unknown worktrees/w/refs/worktree/deep/x"};
  EXPECT_EQ(roots_.lines(), from_main);
  EXPECT_EQ(usable_, 3U) << "for git the others are none";
  check("work-w");
  const std::vector<std::string> lines = roots_.lines();
  EXPECT_NE(std::find(lines.begin(), lines.end(), "aaaa unknown main-worktree/refs/bisect/bad"),
            lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "aaaa unknown refs/bisect/good"), lines.end());
}

TEST_F(CheckRefs, PrivateRefOfAnotherWorktreeNamesWhatIsMissing) {
  files_.write("refs/heads/main", kA + "\n");
  files_.add_worktree("w");
  files_.write("worktrees/w/refs/bisect/bad", kC + "\n");
  files_.write("worktrees/w/refs/bisect/good", "nonsense\n");
  const std::string lines = check();
  EXPECT_NE(lines.find("worktrees/w/refs/bisect/bad: invalid sha1 pointer " + kC),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find("worktrees/w/refs/bisect/good: "), std::string::npos) << lines;
  EXPECT_EQ(exit_status_of(findings_), 2);
}

}  // namespace
}  // namespace assay
