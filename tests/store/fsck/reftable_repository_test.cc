// fsck of a repository whose refs are stored in reftables.
#include <gtest/gtest.h>

#include <filesystem>

#include "store/fsck.h"
#include "tests/support/fsck_repository.h"
#include "tests/support/loose_files.h"
#include "tests/support/reftable_builder.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

using testing::id_of;
using testing::put_object;
using testing::ReftableBuilder;
using testing::with_header;

constexpr std::string_view kObjects = "top/.git/objects";

class ReftableRepository : public ::testing::Test {
 protected:
  ReftableRepository() {
    files_.write("config",
                 "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n");
    files_.write("HEAD", "ref: refs/heads/.invalid\n");
    files_.write("refs/heads", "this repository uses the reftable format\n");
    tree_ = put_object(files_.root(), "tree", "", kObjects);
    first_ = commit(1);
    second_ = commit(2);
    builder_.add_symref("HEAD", "refs/heads/main");
  }

  ObjectId commit(int number) const {
    const std::string who = "A <a@e> " + std::to_string(number) + " +0000\n";
    return put_object(files_.root(), "commit",
                      "tree " + tree_.hex() + "\nauthor " + who + "committer " + who + "\nm\n",
                      kObjects);
  }
  void save(const std::string& name = "1-9-1.ref", const std::string& directory = "reftable") {
    files_.write(directory + "/" + name, builder_.build());
    files_.write(directory + "/tables.list", name + "\n");
  }
  FsckReport check(const std::function<void(FsckOptions&)>& change = nullptr) {
    FsckOptions options;
    options.repository = files_.options();
    options.threads = 1;
    if (change) change(options);
    return testing::report_of(options);
  }
  static std::string lines(const FsckReport& report) {
    std::string text;
    for (const Finding& finding : report.findings) {
      text +=
          std::string(message(finding.id).name) + " " + finding.ref + ": " + finding.text + "\n";
    }
    return text;
  }

  testing::RepositoryFiles files_;
  ReftableBuilder builder_;
  ObjectId tree_;
  ObjectId first_;
  ObjectId second_;
};

TEST_F(ReftableRepository, RefsAndLogsAreRoots) {
  builder_.add_ref("refs/heads/main", second_);
  builder_.add_log("refs/heads/main", 1, first_, second_);
  save();
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(report.exit_status, 0);
  const FsckReport without = check([](FsckOptions& options) { options.use_reflogs = false; });
  EXPECT_EQ(lines(without), "dangling : dangling commit " + first_.hex() + "\n");
}

TEST_F(ReftableRepository, WhatRefsAndLogsNameMustBeThere) {
  const ObjectId absent = id_of(with_header("blob", "absent"));
  builder_.add_ref("refs/heads/main", second_);
  builder_.add_ref("refs/heads/tree", tree_);
  builder_.add_ref("refs/tags/gone", absent);
  builder_.add_log("refs/heads/main", 1, first_, absent);
  save();
  const FsckReport report = check();
  EXPECT_EQ(lines(report),
            "refNotACommit refs/heads/tree: refs/heads/tree: not a commit\n"
            "invalidRefPointer refs/tags/gone: refs/tags/gone: invalid sha1 pointer " +
                absent.hex() +
                "\ninvalidReflogEntry refs/heads/main: refs/heads/main: invalid reflog entry " +
                absent.hex() + "\n");
  EXPECT_EQ(report.exit_status, 10);
}

TEST_F(ReftableRepository, ContentsAreJudgedAsThoseOfFiles) {
  builder_.add_symref("refs/heads/elsewhere", "nowhere/at/all");
  builder_.add_ref("refs/heads/main", second_);
  builder_.add_ref("refs/heads/null", ObjectId::null(HashKind::kSha1));
  builder_.add_ref("refs/heads/x..y", first_);
  save("table.ref");
  const FsckReport report = check();
  const std::string text = lines(report);
  for (const char* line :
       {"badReftableTableName table.ref: invalid reftable table name\n",
        "symrefTargetIsNotARef refs/heads/elsewhere: points to non-ref target 'nowhere/at/all'\n",
        "badRefOid refs/heads/null: points to invalid object ID '0000",
        "badRefName refs/heads/x..y: invalid refname format\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(report.exit_status & 8, 8);
}

TEST_F(ReftableRepository, DamagedTableIsNamedWithItsOffset) {
  builder_.add_ref("refs/heads/main", second_);
  save();
  std::string table = builder_.build();
  table[24] = 'x';
  files_.write("reftable/1-9-1.ref", table);
  for (const bool references : {true, false}) {
    const FsckReport report =
        check([&](FsckOptions& options) { options.check_references = references; });
    ASSERT_GE(report.findings.size(), 1u);
    const Finding& finding = report.findings[0];
    EXPECT_EQ(finding.id, MessageId::kReftableBad);
    EXPECT_EQ(finding.text, ".git/reftable/1-9-1.ref: block at 0: type 0x78 is out of place");
    EXPECT_EQ(finding.offset, 0u);
    EXPECT_EQ(report.exit_status, 8);
    EXPECT_EQ(std::count_if(report.findings.begin(), report.findings.end(),
                            [](const Finding& one) { return one.id == MessageId::kReftableBad; }),
              1);
  }
}

TEST_F(ReftableRepository, LinkedWorktreesHaveTheirOwn) {
  files_.add_worktree("w");
  builder_.add_ref("refs/heads/main", second_);
  save();
  builder_ = ReftableBuilder();
  builder_.add_symref("HEAD", "refs/heads/main");
  builder_.add_ref("refs/bisect/bad", first_);
  save("1-9-2.ref", "worktrees/w/reftable");
  EXPECT_EQ(lines(check()), "");
  // Seen from there.
  const FsckReport there = check(
      [&](FsckOptions& options) { options.repository = files_.options(files_.path("work-w")); });
  EXPECT_EQ(lines(there), "");
  builder_ = ReftableBuilder();
  builder_.add_symref("HEAD", "refs/elsewhere");
  save("1-9-2.ref", "worktrees/w/reftable");
  const FsckReport report = check();
  EXPECT_NE(lines(report).find("badHeadTarget worktrees/w/HEAD: HEAD points to non-branch"),
            std::string::npos)
      << lines(report);
  EXPECT_NE(lines(report).find("dangling commit " + first_.hex()), std::string::npos);
}

TEST_F(ReftableRepository, OneOfALinkedWorktreeIsBrokenInGitsWords) {
  files_.add_worktree("w");
  builder_.add_ref("refs/heads/first", first_);
  builder_.add_ref("refs/heads/main", second_);
  save();
  files_.write("worktrees/w/reftable/tables.list", "gone\ngone too\n");
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "reftableBad : reftable stack for worktree 'w' is broken\n");
  EXPECT_EQ(report.findings[0].file, ".git/worktrees/w/reftable/gone");
  EXPECT_EQ(report.exit_status, 8);
}

}  // namespace
}  // namespace assay
