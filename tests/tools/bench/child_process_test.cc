#include "tools/bench/child_process.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/temporary_directory.h"

namespace assay::tools {
namespace {

ChildCommand shell(std::string script) { return {{"sh", "-c", std::move(script)}, "", {}, {}}; }

TEST(ChildProcessTest, CollectsOutputStatusAndUse) {
  const auto result = run_child(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 3);
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_GT(result->wall_seconds, 0);
  EXPECT_GT(result->peak_megabytes, 0);
}

TEST(ChildProcessTest, HoldsMoreThanAPipe) {
  const auto result = run_child(shell("head -c 300000 /dev/zero"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out.size(), 300'000u);
}

TEST(ChildProcessTest, ASignalIsAStatusAbove128) {
  const auto result = run_child(shell("kill -9 $$"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 128 + 9);
}

TEST(ChildProcessTest, RunsInTheDirectoryWithTheEnvironment) {
  const testing::TemporaryDirectory directory;
  ::setenv("ASSAY_TEST_REMOVED", "there", 1);
  ::setenv("ASSAY_TEST_SET", "old", 1);
  ChildCommand command = shell("pwd; echo \"$ASSAY_TEST_SET,$ASSAY_TEST_REMOVED\"; cat");
  command.directory = directory.path();
  command.environment = {{"ASSAY_TEST_SET", "new"}};
  command.removed = {"ASSAY_TEST_REMOVED"};
  const auto result = run_child(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, std::filesystem::canonical(directory.path()).string() + "\nnew,\n");
}

TEST(ChildProcessTest, WhatCannotBeRunIsAnError) {
  const auto result = run_child({{"/nonexistent/program"}, "", {}, {}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ENOENT);
}

}  // namespace
}  // namespace assay::tools
