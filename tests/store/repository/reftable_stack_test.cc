#include "store/repository/reftable_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/failing_system.h"
#include "tests/support/fake_objects.h"
#include "tests/support/reftable_builder.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::id_of_digit;
using testing::ReftableBuilder;

const ObjectId kA = id_of_digit('a');
const ObjectId kB = id_of_digit('b');

// As the file `expected` of the fixtures has them.
std::vector<std::string> lines_of_stack(const ReftableStack& stack) {
  std::vector<std::string> lines;
  for (const auto& [name, found] : stack.refs()) {
    const ReftableRef& ref = *found.ref;
    std::string line = "ref " + ref.name + " ";
    line += ref.kind == ReftableRef::Kind::kSymref ? "->" + ref.target : ref.id.hex();
    if (ref.kind == ReftableRef::Kind::kPeeledId) line += " " + ref.peeled.hex();
    lines.push_back(line);
  }
  stack.for_each_log([&](const ReftableLog& log, const ReftableStack::Table&) {
    if (log.new_id.is_null()) return;  // git does not list them
    std::string message(log.message);
    if (message.ends_with('\n')) message.pop_back();
    lines.push_back("log " + std::string(log.name) + " " + log.new_id.hex() + " " +
                    std::to_string(log.seconds) + " " + std::string(log.email) + " " + message);
  });
  std::sort(lines.begin(), lines.end());
  return lines;
}

class FixtureTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FixtureTest, ReadsWhatGitSaysIsThere) {
  const std::string folder = std::string(ASSAY_SOURCE_DIR) + "/fixtures/reftable/" + GetParam();
  const HashKind kind = GetParam() == std::string("sha256") ? HashKind::kSha256 : HashKind::kSha1;
  const ReftableStack stack = ReftableStack::read(os::System::real(), folder, "reftable", "", kind);
  EXPECT_TRUE(stack.problems().empty());
  std::ifstream in(folder + "/expected");
  std::vector<std::string> expected;
  for (std::string line; std::getline(in, line);) expected.push_back(line);
  ASSERT_FALSE(expected.empty());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(lines_of_stack(stack), expected);
}

INSTANTIATE_TEST_SUITE_P(Reftables, FixtureTest,
                         ::testing::Values("small", "stack", "many", "levels", "worktree",
                                           "sha256"));

class ReftableStackTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const ReftableBuilder& builder) const {
    root_.write("reftable/" + name, builder.build());
  }
  void list(const std::string& names) const { root_.write("reftable/tables.list", names); }
  ReftableStack read(os::System& system = os::System::real()) const {
    return ReftableStack::read(system, root_.path("reftable"), "reftable", "", HashKind::kSha1);
  }
  static std::string refs(const ReftableStack& stack) {
    std::string text;
    for (const auto& [name, found] : stack.refs()) {
      text += std::string(name) + " " + found.ref->id.hex().substr(0, 1) + "\n";
    }
    return text;
  }
  static std::string problems(const ReftableStack& stack) {
    std::string text;
    for (const auto& problem : stack.problems()) text += problem.fault.text + "\n";
    return text;
  }
  static ReftableBuilder table(std::uint64_t index) {
    ReftableBuilder builder;
    builder.min_index = builder.max_index = index;
    return builder;
  }

  testing::TemporaryDirectory root_;
};

TEST_F(ReftableStackTest, NewerTablesHideOlderOnes) {
  ReftableBuilder old = table(1);
  old.add_ref("refs/heads/a", kA);
  old.add_ref("refs/heads/b", kA);
  old.add_log("refs/heads/a", 1, kB, kA);
  old.add_log("refs/heads/b", 1, kB, kA);
  ReftableBuilder young = table(2);
  young.add_deletion("refs/heads/a");
  young.add_ref("refs/heads/b", kB);
  young.add_log_deletion("refs/heads/a", 1);
  young.add_log("refs/heads/b", 2, kA, kB);
  write("1-1-1.ref", old);
  write("2-2-2.ref", young);
  list("1-1-1.ref\n2-2-2.ref\n");
  const ReftableStack stack = read();
  EXPECT_EQ(problems(stack), "");
  EXPECT_EQ(refs(stack), "refs/heads/b b\n");
  EXPECT_EQ(stack.find("refs/heads/a").ref, nullptr);
  ASSERT_NE(stack.find("refs/heads/b").ref, nullptr);
  EXPECT_EQ(stack.find("refs/heads/b").table->name, "2-2-2.ref");
  std::string logs;
  stack.for_each_log([&](const ReftableLog& log, const ReftableStack::Table& from) {
    logs += std::string(log.name) + "@" + std::to_string(log.update_index) + " " + from.name + "\n";
  });
  EXPECT_EQ(logs, "refs/heads/b@2 2-2-2.ref\nrefs/heads/b@1 1-1-1.ref\n");
}

TEST_F(ReftableStackTest, NamesFilesThatCannotBeUsed) {
  ReftableBuilder good = table(1);
  good.add_ref("refs/heads/a", kA);
  write("1-1-1.ref", good);
  root_.write("reftable/2-2-2.ref", "REFT");
  list("1-1-1.ref\n2-2-2.ref\n3-3-3.ref\n");
  const ReftableStack stack = read();
  EXPECT_EQ(problems(stack),
            "reftable/2-2-2.ref: has unknown version 0\n"
            "reftable/3-3-3.ref: cannot be read: No such file or directory\n");
  EXPECT_EQ(refs(stack), "refs/heads/a a\n") << "what can be read is read";
  fs::remove(root_.path("reftable/tables.list"));
  EXPECT_EQ(problems(read()), "reftable/tables.list: cannot be read: No such file or directory\n");
}

TEST_F(ReftableStackTest, TablesAreMergedMeanwhile) {
  ReftableBuilder one = table(1);
  one.add_ref("refs/heads/a", kA);
  write("1-1-1.ref", one);
  list("1-1-1.ref\n");
  testing::FailingSystem system;
  bool done = false;
  system.before_open([&](const std::string& path, int) {
    if (done || !path.ends_with("1-1-1.ref")) return 0;
    done = true;
    write("1-2-9.ref", one);
    list("1-2-9.ref\n");
    fs::remove(root_.path("reftable/1-1-1.ref"));
    return 0;
  });
  const ReftableStack stack = read(system);
  EXPECT_TRUE(done);
  EXPECT_EQ(problems(stack), "");
  EXPECT_EQ(refs(stack), "refs/heads/a a\n");
}

TEST_F(ReftableStackTest, DoubtsUpdateIndexesThatGoBack) {
  ReftableBuilder one = table(5);
  one.add_ref("refs/heads/a", kA);
  write("5-5-1.ref", one);
  write("5-5-2.ref", one);
  list("5-5-1.ref\n5-5-2.ref\n");
  EXPECT_EQ(problems(read()),
            "reftable/5-5-2.ref: its update indexes begin at 5, the table before ends at 5\n");
}

}  // namespace
}  // namespace assay
