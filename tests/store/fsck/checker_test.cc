#include "store/fsck/checker.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/failing_system.h"
#include "tests/support/fsck_repository.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::FailingSystem;
using testing::FsckRepository;
using testing::IndexBuilder;
using testing::lines_of;
using testing::PackBuilder;

using Lines = std::vector<std::string>;

// A repository with something of everything, all of it sound.
class CheckerTest : public ::testing::Test {
 protected:
  CheckerTest() {
    file_ = repository_.blob("file");
    tree_ = repository_.tree({{"100644", "file", file_}});
    first_ = repository_.commit(tree_);
    PackBuilder pack;
    pack.add_blob("packed");
    pack.add_offset_delta(0, as_bytes("packed, too"));
    const ObjectId packed_tree =
        pack.entry(pack.add(ObjectType::kTree,
                            testing::tree_text({{"100644", "a", pack.entry(0).id},
                                                {"100644", "b", pack.entry(1).id}})))
            .id;
    second_ = repository_.commit(packed_tree, {first_}, "second");
    repository_.add_pack(pack.build(), "p");
    repository_.ref("heads/main", second_);
    repository_.ref("tags/t", repository_.tag(first_, ObjectType::kCommit));
    repository_.files().write("packed-refs", first_.hex() + " refs/heads/packed\n");
    const std::string line = ObjectId::null(HashKind::kSha1).hex() + " " + second_.hex() +
                             " A <a@b> 1700000000 +0000\tm\n";
    repository_.files().write("logs/HEAD", line);
    repository_.files().write("logs/refs/heads/main", line);
    repository_.files().write("index", IndexBuilder(2).entry({file_, "file"}).sealed());
    repository_.files().write("config", "[core]\n\trepositoryformatversion = 0\n");
    repository_.files().write("info/exclude", "");
  }

  FsckRepository repository_;
  ObjectId file_, tree_, first_, second_;
};

TEST_F(CheckerTest, SkipListsAreReadFromTheTopOfTheWorkTree) {
  const ObjectId bad = repository_.put(
      ObjectType::kCommit,
      as_bytes("tree " + tree_.hex() + "\nauthor A a@b 1 +0000\ncommitter A <a@b> 1 +0000\n\n"));
  repository_.ref("heads/bad", bad);
  EXPECT_EQ(1, repository_.check().exit_status);
  repository_.files().root().write("top/skip", "# known\n" + bad.hex() + "\n");
  repository_.files().root().write("top/more", bad.hex().replace(0, 4, "0000") + "\n");
  FsckOptions options = repository_.options();
  // Each list adds to those before.
  options.repository.overrides = {{"fsck.skipList", "skip"}, {"fsck.skipList", "more"}};
  EXPECT_EQ(Lines{}, lines_of(repository_.check(options)));
  options.repository.overrides = {{"fsck.skipList", repository_.files().top() + "/skip"}};
  EXPECT_EQ(Lines{}, lines_of(repository_.check(options)));
  const auto refused = [&](const std::optional<std::string>& list) {
    options.repository.overrides = {{"fsck.skipList", "/dev/null"}, {"fsck.skipList", list}};
    const auto report = run_fsck(os::System::real(), options);
    return report ? "" : report.error().text;
  };
  EXPECT_EQ("could not open object name list: none", refused("none"));
  EXPECT_EQ("invalid object name: ref: refs/heads/main", refused(".git/HEAD"));
  EXPECT_EQ("unable to parse 'fsck.skiplist' from command-line config", refused(std::nullopt));
}

TEST_F(CheckerTest, TheRepositoryIsSound) {
  const FsckReport report = repository_.check();
  EXPECT_EQ(Lines{}, lines_of(report));
  EXPECT_EQ(0, report.exit_status);
}

TEST_F(CheckerTest, WhateverCallFailsTheRunEnds) {
  FsckOptions options = repository_.options();
  options.may_change = false;
  for (const int code : {EIO, EMFILE}) {
    for (int number = 0;; ++number) {
      FailingSystem system;
      system.fail_call(number, code);
      const auto report = run_fsck(system, options);
      if (system.failed().empty()) {
        EXPECT_GT(number, 100);
        break;
      }
      EXPECT_NE("", report ? "a report" : report.error().text) << system.failed();
    }
  }
}

TEST_F(CheckerTest, WhateverCannotBeOpenedIsSaid) {
  std::set<std::string> opened;
  FailingSystem watching;
  watching.before_open([&](const std::string& path, int) {
    if (std::filesystem::exists(path)) opened.insert(path);
    return 0;
  });
  EXPECT_EQ(Lines{}, lines_of(repository_.check(repository_.options(), watching)));
  EXPECT_GT(opened.size(), 12u);
  for (const std::string& path : opened) {
    for (const int code : {EIO, EACCES}) {
      FailingSystem system;
      system.before_open([&](const std::string& name, int) { return name == path ? code : 0; });
      const auto report = run_fsck(system, repository_.options());
      EXPECT_NE(0, report ? report->exit_status : 128) << path;
    }
  }
}

}  // namespace
}  // namespace assay
