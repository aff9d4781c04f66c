#include "store/fsck/check_ref_format.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/failing_system.h"
#include "tests/support/findings_text.h"
#include "tests/support/hostile.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::exit_status_of;
using testing::lines_of;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kZero(40, '0');
const std::string kSorted = "# pack-refs with: peeled fully-peeled sorted \n";

class CheckRefFormat : public ::testing::Test {
 protected:
  std::string check(os::System& system = os::System::real()) {
    const auto repository = Repository::open(system, files_.options());
    if (!repository) return repository.error().text;
    findings_.findings().clear();
    check_ref_format(*repository, policy_, findings_);
    return lines_of(findings_);
  }
  // The verdict on one loose ref of that content.
  std::string content(const std::string& text, const std::string& name = "refs/heads/x") {
    files_.write(name, text);
    const std::string lines = check();
    fs::remove(files_.git_dir() + "/" + name);
    return lines;
  }
  std::string packed(const std::string& text) {
    files_.write("packed-refs", text);
    return check();
  }

  testing::RepositoryFiles files_;
  Policy policy_;
  FindingList findings_;
};

TEST_F(CheckRefFormat, SoundRefsAreSilent) {
  EXPECT_EQ(content(kA + "\n"), "");
  EXPECT_EQ(content("ref: refs/heads/y\n"), "");
  EXPECT_EQ(content("ref:refs/heads/y\n"), "");
  EXPECT_EQ(content("ref: HEAD\n"), "");
  EXPECT_EQ(content("ref: worktrees/w/HEAD\n"), "");
  EXPECT_EQ(content(kA + "\n", "refs/heads/@"), "");
  EXPECT_EQ(content(kA + "\n", "refs/heads/x.lock"), "");
  EXPECT_EQ(content(kZero, "FETCH_HEAD"), "");
}

TEST_F(CheckRefFormat, BadRefName) {
  EXPECT_EQ(content(kA + "\n", "refs/heads/.x"),
            "error: refs/heads/.x: badRefName: invalid refname format\n");
  EXPECT_EQ(content(kA + "\n", "refs/heads/.lock"),
            "error: refs/heads/.lock: badRefName: invalid refname format\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
  EXPECT_EQ(content(kA, "refs/heads/a b"),
            "error: refs/heads/a b: badRefName: invalid refname format\n"
            "warning: refs/heads/a b: refMissingNewline: misses LF at the end\n");
}

TEST_F(CheckRefFormat, BadRefContentAndOid) {
  EXPECT_EQ(content("  x y \n\n"), "error: refs/heads/x: badRefContent:   x y\n");
  EXPECT_EQ(content(""), "error: refs/heads/x: badRefContent: \n");
  EXPECT_EQ(content(std::string(41, '\0')), "error: refs/heads/x: badRefContent: \n");
  EXPECT_EQ(content(kA + "b\n"), "error: refs/heads/x: badRefContent: " + kA + "b\n");
  EXPECT_EQ(content(kZero + "\n"),
            "error: refs/heads/x: badRefOid: points to invalid object ID '" + kZero + "'\n");
}

TEST_F(CheckRefFormat, NewlinesAndTrailingContent) {
  EXPECT_EQ(content(kA), "warning: refs/heads/x: refMissingNewline: misses LF at the end\n");
  EXPECT_EQ(exit_status_of(findings_), 0);
  EXPECT_EQ(content(kA + " junk"),
            "warning: refs/heads/x: trailingRefContent: has trailing garbage: ' junk'\n");
  EXPECT_EQ(content(kA + "\n\n"),
            "warning: refs/heads/x: trailingRefContent: has trailing garbage: '\n\n'\n");
  const std::string missing = "warning: refs/heads/x: refMissingNewline: misses LF at the end\n";
  const std::string trailing =
      "warning: refs/heads/x: trailingRefContent: has trailing whitespaces or newlines\n";
  EXPECT_EQ(content("ref: refs/heads/y"), missing);
  EXPECT_EQ(content("ref: refs/heads/y "), missing);
  EXPECT_EQ(content("ref: refs/heads/y  "), missing + trailing);
  EXPECT_EQ(content("ref: refs/heads/y \n"), trailing);
  EXPECT_EQ(content("ref: refs/heads/y\n\n"), trailing);
}

TEST_F(CheckRefFormat, TargetsOfSymrefs) {
  EXPECT_EQ(content("ref: refs/heads/.y\n"),
            "error: refs/heads/x: badReferentName: points to invalid refname 'refs/heads/.y'\n");
  EXPECT_EQ(content("ref: foo\n"),
            "error: refs/heads/x: badReferentName: points to invalid refname 'foo'\n");
  EXPECT_EQ(content("ref: foo/bar\n"),
            "warning: refs/heads/x: symrefTargetIsNotARef: points to non-ref target 'foo/bar'\n");
  EXPECT_EQ(content("ref: refs/tags/t\n", "HEAD"),
            "error: HEAD: badHeadTarget: HEAD points to non-branch 'refs/tags/t'\n");
  files_.write("HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(content("ref: refs/tags/t\n", "ORIG_HEAD"), "");
}

TEST_F(CheckRefFormat, AFaultThatIsNoErrorDoesNotEndTheCheckOfATarget) {
  ASSERT_TRUE(policy_.configure("badReferentName", "warn"));
  EXPECT_EQ(content("ref: foo\n"),
            "warning: refs/heads/x: badReferentName: points to invalid refname 'foo'\n"
            "warning: refs/heads/x: symrefTargetIsNotARef: points to non-ref target 'foo'\n");
  ASSERT_TRUE(policy_.configure("badReferentName", "ignore"));
  EXPECT_EQ(content("ref: foo\n"),
            "warning: refs/heads/x: symrefTargetIsNotARef: points to non-ref target 'foo'\n");
}

TEST_F(CheckRefFormat, LinksAndOtherFiles) {
  const std::string heads = files_.git_dir() + "/refs/heads/";
  files_.write("refs/heads/y", kA + "\n");
  fs::create_symlink("y", heads + "x");
  const std::string symlink =
      "warning: refs/heads/x: symlinkRef: use deprecated symbolic link for symref\n";
  EXPECT_EQ(check(), symlink);
  fs::remove(heads + "x");
  fs::create_symlink("../../config", heads + "x");
  EXPECT_EQ(check(),
            symlink + "error: refs/heads/x: badReferentName: points to invalid refname 'config'\n");
  fs::remove(heads + "x");
  fs::create_symlink("../../logs/x", heads + "x");
  fs::create_directory(files_.git_dir() + "/logs");
  EXPECT_EQ(check(), symlink +
                         "warning: refs/heads/x: symrefTargetIsNotARef: points to non-ref "
                         "target 'logs/x'\n");
  fs::remove(heads + "x");
  ASSERT_EQ(0, mkfifo((heads + "x").c_str(), 0600));
  EXPECT_EQ(check(), "error: refs/heads/x: badRefFiletype: unexpected file type\n");
}

TEST_F(CheckRefFormat, WorktreesHaveRefsOfTheirOwn) {
  files_.add_worktree("w");
  files_.write("worktrees/w/HEAD", "ref: refs/tags/t\n");
  files_.write("worktrees/w/refs/bisect/bad", "x\n");
  files_.write("worktrees/w/ORIG_HEAD", "y\n");
  EXPECT_EQ(check(),
            "error: worktrees/w/refs/bisect/bad: badRefContent: x\n"
            "error: worktrees/w/HEAD: badHeadTarget: HEAD points to non-branch 'refs/tags/t'\n"
            "error: worktrees/w/ORIG_HEAD: badRefContent: y\n");
}

TEST_F(CheckRefFormat, PackedRefsThatAreSound) {
  EXPECT_EQ(packed(kA + " refs/heads/x\n"), "");
  EXPECT_EQ(packed(kSorted + kA + " refs/heads/x\n^" + kB + "\n" + kA + " refs/heads/y\n"), "");
  EXPECT_EQ(packed("# pack-refs with: \n" + kA + " refs/heads/y\n" + kA + " refs/heads/x\n"), "");
  EXPECT_EQ(packed("# pack-refs with: unsorted unknown\n" + kA + " refs/b\n" + kA + " refs/a\n"),
            "");
}

TEST_F(CheckRefFormat, PackedRefsLineByLine) {
  const auto entry = [](int line, const std::string& text) {
    return "error: packed-refs line " + std::to_string(line) + ": badPackedRefEntry: " + text +
           "\n";
  };
  EXPECT_EQ(packed("# other\n" + kA + " refs/heads/x\n"),
            "error: packed-refs.header: badPackedRefHeader: '# other' does not start with "
            "'# pack-refs with: '\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
  EXPECT_EQ(packed("x refs/heads/x\n"), entry(1, "'x refs/heads/x' has invalid oid"));
  EXPECT_EQ(packed(kA + "x\n"), entry(1, "has no space after oid '" + kA + "' but with 'x'"));
  EXPECT_EQ(packed(kA + std::string(" refs/x\0y\n", 10)),
            entry(1, "refname 'refs/x' contains NULL binaries"));
  EXPECT_EQ(packed(kA + " refs/x\n^" + kB.substr(1) + "\n"),
            entry(2, "'" + kB.substr(1) + "' has invalid peeled oid"));
  EXPECT_EQ(packed(kA + " refs/x\n^" + kB + " \n"),
            entry(2, "has trailing garbage after peeled oid ' '"));
  EXPECT_EQ(packed(kA + " refs/x\n^" + kB + "\n^" + kB + "\n" + kA + " refs/.y\n"),
            entry(3, "'^" + kB + "' has invalid oid") +
                "error: packed-refs line 4: badRefName: has bad refname 'refs/.y'\n");
}

TEST_F(CheckRefFormat, PackedRefsThatAreNotTerminated) {
  const std::string text = kA + " refs/heads/x";
  const std::string line =
      "packedRefEntryNotTerminated: '" + text + "' is not terminated with a newline\n";
  EXPECT_EQ(packed(kSorted + text), "error: packed-refs line 2: " + line);
  // As git, which looks twice at a first line that is no header.
  EXPECT_EQ(packed(text),
            "error: packed-refs line 1: " + line + "error: packed-refs line 1: " + line);
}

TEST_F(CheckRefFormat, PackedRefsOutOfOrder) {
  const std::string wrong = kA + " refs/heads/b\n" + kA + " refs/heads/a\n";
  EXPECT_EQ(packed(kSorted + wrong),
            "error: packed-refs line 3: packedRefUnsorted: refname 'refs/heads/a' is less than "
            "previous refname 'refs/heads/b'\n");
  EXPECT_EQ(packed(wrong), "");
  EXPECT_NE(packed(kSorted + kA + " refs/heads/a\n" + kA + " refs/heads/a\n"), "");
  // Not looked at when a line is bad.
  EXPECT_EQ(packed(kSorted + wrong + kA + " refs/heads/.c\n").find("Unsorted"), std::string::npos);
}

TEST_F(CheckRefFormat, PackedRefsOutsideOfRefsAreSeenByNobody) {
  EXPECT_EQ(packed(kSorted + kA + " other/x\n" + kA + " refs/x\n"),
            "warning: packed-refs line 2: git does not see 'other/x', which is not below refs/\n");
  EXPECT_EQ(exit_status_of(findings_), 0);
}

TEST_F(CheckRefFormat, PackedRefsFileType) {
  EXPECT_EQ(packed(""), "warning: packed-refs: emptyPackedRefsFile: file is empty\n");
  fs::remove(files_.git_dir() + "/packed-refs");
  fs::create_symlink("HEAD", files_.git_dir() + "/packed-refs");
  EXPECT_EQ(check(), "error: packed-refs: badRefFiletype: not a regular file but a symlink\n");
  fs::remove(files_.git_dir() + "/packed-refs");
  fs::create_directory(files_.git_dir() + "/packed-refs");
  EXPECT_EQ(check(), "error: packed-refs: badRefFiletype: not a regular file\n");
}

TEST_F(CheckRefFormat, FilesThatCannotBeRead) {
  files_.write("refs/heads/x", kA + "\n");
  testing::FailingSystem system;
  system.before_open([](const std::string& path, int) { return path.ends_with("/x") ? EIO : 0; });
  EXPECT_EQ(check(system), "error: cannot read ref file '.git/refs/heads/x': Input/output error\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
}

TEST_F(CheckRefFormat, FindsViolationsInEveryDamagedPackedRefs) {
  const std::string text = kSorted + kA + " refs/heads/x\n^" + kB + "\n";
  std::size_t silent = 0;
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    // What stays lawful: the header up to its traits, other digits, other letters of the name.
    silent += packed(std::string(as_text(bytes))).empty() ? 1 : 0;
  });
  EXPECT_GT(silent, 0U);
  EXPECT_LT(silent, 900U);
}

}  // namespace
}  // namespace assay
