// What `assay fsck` says while another process works in the repository: that process is played by
// hooks that run when a certain file is opened.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>

#include "store/fsck.h"
#include "store/fsck/storage_state.h"
#include "tests/support/failing_system.h"
#include "tests/support/fsck_repository.h"
#include "tests/support/loose_files.h"
#include "tests/support/pack_builder.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

using testing::id_of;
using testing::put_object;
using testing::with_header;

constexpr std::string_view kObjects = "top/.git/objects";

std::string commit_text(const ObjectId& tree, const std::string& parent, int number) {
  return "tree " + tree.hex() + "\n" + parent + "author A <a@e> " + std::to_string(number) +
         " +0000\ncommitter A <a@e> " + std::to_string(number) + " +0000\n\nm\n";
}

std::string tree_text(const ObjectId& blob) {
  return std::string("100644 a\0", 9) + std::string(as_text(blob.bytes()));
}

class ChangingRepository : public ::testing::Test {
 protected:
  ChangingRepository() {
    blob_ = put_object(files_.root(), "blob", "content\n", kObjects);
    tree_ = put_object(files_.root(), "tree", tree_text(blob_), kObjects);
    commit_ = put_object(files_.root(), "commit", commit_text(tree_, "", 1), kObjects);
    files_.write("refs/heads/main", commit_.hex() + "\n");
  }

  // `act` runs when a file whose path ends so is about to be opened, `times` times at most.
  void when_opened(std::string suffix, std::function<void()> act, int times = 1) {
    left_ = times;
    system_.before_open(
        [this, suffix = std::move(suffix), act = std::move(act)](const std::string& path, int) {
          if (path.ends_with(suffix) && left_.fetch_sub(1) > 0) act();
          return 0;
        });
  }

  FsckReport check() {
    FsckOptions options;
    options.repository = files_.options();
    options.threads = 1;
    return testing::report_of(options, system_);
  }
  static std::string lines(const FsckReport& report) {
    std::string text;
    for (const Finding& finding : report.findings) text += finding.text + "\n";
    return text;
  }

  void remove_loose(const ObjectId& id) const {
    std::filesystem::remove(files_.path(std::string(kObjects) + "/" + loose_file_path(id)));
  }
  testing::BuiltPack whole_pack() const {
    testing::PackBuilder pack;
    pack.add_blob("content\n");
    pack.add(ObjectType::kTree, as_bytes(tree_text(blob_)));
    pack.add(ObjectType::kCommit, as_bytes(commit_text(tree_, "", 1)));
    return pack.build();
  }
  void write_pack(const std::string& name) const {
    const testing::BuiltPack built = whole_pack();
    write_file(name + ".pack", built.pack);
    write_file(name + ".idx", built.index);
  }
  void write_file(const std::string& name, const Bytes& bytes) const {
    files_.root().write(std::string(kObjects) + "/pack/" + name, as_text(bytes));
  }
  void log(const ObjectId& id) const {
    files_.write("logs/refs/heads/main",
                 std::string(40, '0') + " " + id.hex() + " A <a@e> 1 +0000\tcommit\n");
  }

  testing::RepositoryFiles files_;
  testing::FailingSystem system_;
  std::atomic<int> left_{0};
  ObjectId blob_;
  ObjectId tree_;
  ObjectId commit_;
};

TEST_F(ChangingRepository, NothingChangesAndNothingIsFound) {
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(report.exit_status, 0);
}

TEST_F(ChangingRepository, LooseObjectsMoveIntoAPackWhileTheyAreRead) {
  when_opened(loose_file_path(blob_).substr(3), [this] {
    write_pack("pack-a");
    for (const ObjectId& id : {blob_, tree_, commit_}) remove_loose(id);
  });
  const FsckReport report = check();
  EXPECT_EQ(left_, 0) << "the hook ran";
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(report.statistics.packs, 1u);
}

TEST_F(ChangingRepository, LooseObjectThatGoesForGoodIsMissing) {
  when_opened(loose_file_path(blob_).substr(3), [this] { remove_loose(blob_); });
  const FsckReport report = check();
  EXPECT_NE(lines(report).find("missing blob " + blob_.hex()), std::string::npos);
  EXPECT_EQ(report.exit_status, 2);
}

TEST_F(ChangingRepository, UnneededLooseObjectMayGo) {
  const ObjectId spare = put_object(files_.root(), "blob", "spare\n", kObjects);
  when_opened(loose_file_path(spare).substr(3), [&] { remove_loose(spare); });
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(report.exit_status, 0);
}

TEST_F(ChangingRepository, PackIsReplacedBeforeItIsOpened) {
  write_pack("pack-old");
  for (const ObjectId& id : {blob_, tree_, commit_}) remove_loose(id);
  when_opened("pack-old.idx", [this] {
    write_pack("pack-new");
    for (const char* name : {"/pack/pack-old.idx", "/pack/pack-old.pack"}) {
      std::filesystem::remove(files_.path(std::string(kObjects) + name));
    }
  });
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(report.statistics.packs, 1u);
}

TEST_F(ChangingRepository, PackThatGoesForGoodTakesItsObjectsWithIt) {
  write_pack("pack-old");
  for (const ObjectId& id : {blob_, tree_, commit_}) remove_loose(id);
  when_opened("pack-old.pack", [this] {
    for (const char* name : {"/pack/pack-old.idx", "/pack/pack-old.pack"}) {
      std::filesystem::remove(files_.path(std::string(kObjects) + name));
    }
  });
  const FsckReport report = check();
  EXPECT_NE(lines(report).find("invalid sha1 pointer " + commit_.hex()), std::string::npos);
  EXPECT_EQ(report.exit_status & 2, 2);
}

TEST_F(ChangingRepository, CommitIsMadeAfterObjectsWereListed) {
  log(commit_);
  ObjectId next;
  when_opened("logs/refs/heads/main", [&] {
    const ObjectId blob = put_object(files_.root(), "blob", "more\n", kObjects);
    const ObjectId tree = put_object(files_.root(), "tree", tree_text(blob), kObjects);
    const std::string parent = "parent " + commit_.hex() + "\n";
    next = put_object(files_.root(), "commit", commit_text(tree, parent, 2), kObjects);
    log(next);
    files_.write("refs/heads/main", next.hex() + "\n");
  });
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(report.statistics.objects, 6u) << "what has come is verified as well";
}

TEST_F(ChangingRepository, WhatComesIsJudgedAsWell) {
  log(commit_);
  ObjectId next;
  when_opened("logs/refs/heads/main", [&] {
    next = put_object(files_.root(), "commit", "tree " + tree_.hex() + "\nauthor A <a@e> 1 +0000\n",
                      kObjects);
    log(next);
  });
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "invalid format - expected 'committer' line\n");
  EXPECT_EQ(report.exit_status, 1);
}

TEST_F(ChangingRepository, ReflogLineIsHalfWritten) {
  log(commit_);
  const std::string whole = files_.root().read("top/.git/logs/refs/heads/main");
  files_.write("logs/refs/heads/main", whole + whole.substr(0, 60));
  int opened = 0;
  when_opened(
      "logs/refs/heads/main",
      [&] {
        if (++opened == 2) files_.write("logs/refs/heads/main", whole + whole);
      },
      10);
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_EQ(opened, 2);
}

TEST_F(ChangingRepository, ReflogLineThatStaysHalfIsFound) {
  log(commit_);
  const std::string whole = files_.root().read("top/.git/logs/refs/heads/main");
  files_.write("logs/refs/heads/main", whole + whole.substr(0, 60));
  const FsckReport report = check();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].id, MessageId::kReflogLineBad);
}

TEST_F(ChangingRepository, PackIsFinishedAMomentLater) {
  write_file("pack-a.pack", whole_pack().pack);
  int opened = 0;
  when_opened(
      "HEAD",
      [&] {
        // Refs are read once in a look.
        if (++opened == 8) {
          write_file("pack-a.idx", whole_pack().index);
        }
      },
      1000);
  const FsckReport report = check();
  EXPECT_EQ(lines(report), "");
  EXPECT_GE(opened, 8);
}

TEST_F(ChangingRepository, PackThatIsNeverFinishedIsFound) {
  write_file("pack-a.pack", whole_pack().pack);
  const FsckReport report = check();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].id, MessageId::kPackOrphan);
}

// Each time the reflog is read it names another object that is not there, and objects come.
TEST_F(ChangingRepository, WhatKeepsChangingIsInconclusive) {
  int number = 0;
  when_opened(
      "logs/refs/heads/main",
      [&] {
        put_object(files_.root(), "blob", "spare " + std::to_string(++number), kObjects);
        log(id_of(with_header("blob", "absent " + std::to_string(number))));
      },
      1000);
  log(commit_);
  const FsckReport report = check();
  std::vector<MessageId> ids;
  for (const Finding& finding : report.findings) {
    if (finding.id != MessageId::kDangling) ids.push_back(finding.id);
  }
  EXPECT_EQ(ids, std::vector<MessageId>{MessageId::kRepositoryChanging}) << lines(report);
  EXPECT_EQ(report.exit_status, 240);
}

// Objects come all the time, and one is missing all the time.
TEST_F(ChangingRepository, WhatStaysIsFoundThoughAllElseChanges) {
  int number = 0;
  when_opened(
      "logs/refs/heads/main",
      [&] { put_object(files_.root(), "blob", "spare " + std::to_string(++number), kObjects); },
      1000);
  log(commit_);
  remove_loose(blob_);
  const FsckReport report = check();
  EXPECT_NE(lines(report).find("missing blob " + blob_.hex()), std::string::npos);
  EXPECT_EQ(report.exit_status, 2);
  EXPECT_GE(number, 3) << "it was looked at more than once";
}

TEST_F(ChangingRepository, LooksOnceWhenNobodyElseWorksThere) {
  log(commit_);
  int opened = 0;
  when_opened(
      "logs/refs/heads/main", [&] { ++opened; }, 10);
  files_.write("logs/refs/heads/main", "nonsense\n");
  FsckOptions options;
  options.repository = files_.options();
  options.may_change = false;
  const auto report = run_fsck(system_, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(opened, 1);
}

// The first look takes false links out of the books and counts what is wrong with storage; the
// second one says the same, in the same order.
TEST_F(ChangingRepository, TheSecondLookSaysWhatTheFirstOneSaid) {
  const ObjectId tree =
      put_object(files_.root(), "tree",
                 std::string("100644 a\0", 9) + std::string(as_text(blob_.bytes())) + "40000 b" +
                     '\0' + std::string(as_text(blob_.bytes())),
                 kObjects);
  const ObjectId second = put_object(files_.root(), "commit", commit_text(tree, "", 2), kObjects);
  files_.write("refs/heads/main", second.hex() + "\n");
  log(second);
  files_.write("objects/" + commit_.hex().substr(0, 2) + "/foreign", "x");
  int looks = 0;
  when_opened(
      "logs/refs/heads/main", [&] { ++looks; }, 1000);
  FsckOptions options;
  options.repository = files_.options();
  options.threads = 1;
  options.may_change = false;
  const auto undisturbed = run_fsck(system_, options);
  ASSERT_TRUE(undisturbed);
  EXPECT_EQ(looks, 1);
  EXPECT_NE(lines(*undisturbed).find("unknown"), std::string::npos) << lines(*undisturbed);
  looks = 0;
  when_opened(
      "logs/refs/heads/main",
      [&] {
        ++looks;
        put_object(files_.root(), "blob", "content\n", kObjects);
        files_.write("objects/pack/passing", "");
        std::filesystem::remove(files_.path(std::string(kObjects) + "/pack/passing"));
      },
      1000);
  const FsckReport disturbed = check();
  EXPECT_GE(looks, 2);
  EXPECT_EQ(lines(disturbed), lines(*undisturbed));
  EXPECT_EQ(disturbed.exit_status, undisturbed->exit_status);
}

TEST_F(ChangingRepository, StateTellsWhatCameAndWent) {
  const std::vector<ObjectSource> directories = {{files_.git_dir() + "/objects", ".git/objects"}};
  const auto take = [&] { return StorageState::take(os::System::real(), directories); };
  const StorageState before = take();
  EXPECT_TRUE(before.same_as(take()));
  EXPECT_TRUE(before.is_fresh());
  files_.write("objects/info/commit-graph", "x");
  const StorageState graph = take();
  EXPECT_FALSE(before.same_as(graph));
  EXPECT_FALSE(before.same_graphs_as(graph));
  files_.write("objects/pack/pack-x.keep", "");
  const StorageState pack = take();
  EXPECT_FALSE(graph.same_as(pack));
  EXPECT_TRUE(graph.same_graphs_as(pack));
  EXPECT_TRUE(pack.packs_are_fresh());
  files_.write("objects/aa/" + std::string(38, 'a'), "");
  const StorageState loose = take();
  EXPECT_FALSE(pack.same_as(loose));
  std::filesystem::remove(files_.path(std::string(kObjects) + "/aa/" + std::string(38, 'a')));
  EXPECT_FALSE(pack.same_as(take())) << "the directory has another time";
}

}  // namespace
}  // namespace assay
