#include "tools/bench/command_line.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include "tests/support/run_tool.h"

namespace assay::tools {
namespace {

// Parses what must be right.
BenchCommandLine parse(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  Output out(os::System::real(), STDOUT_FILENO);
  Output err(os::System::real(), STDERR_FILENO, Output::Buffering::kUnbuffered);
  Context context{os::System::real(), STDIN_FILENO, out, err, {}};
  BenchCommandLine parsed;
  EXPECT_EQ(parse_bench_command_line(context, arguments, parsed), std::nullopt);
  return parsed;
}

TEST(CommandLineTest, ListsMayBeRepeatedOrHaveCommas) {
  const auto parsed =
      parse({"sha1", "--size", "8,1k", "--size=mix_250", "--kernel", "portable", "--kernel=blk"});
  EXPECT_EQ(parsed.benchmark, BenchCommandLine::Benchmark::kSha1);
  EXPECT_EQ(parsed.sha1.sizes, (std::vector<std::uint64_t>{8, 1024}));
  EXPECT_EQ(parsed.sha1.mixes, std::vector<std::string>{"mix_250"});
  EXPECT_EQ(parsed.sha1.kernels, (std::vector<std::string>{"portable", "blk"}));
  EXPECT_EQ(parsed.sha1.detect, std::nullopt);
  EXPECT_TRUE(parsed.sha1.rivals);
}

TEST(CommandLineTest, AListTakesOneWordAndLeavesTheRepository) {
  const auto parsed = parse({"fsck", "--against", "git,other", "-j", "2", "--no-shares", "a/b"});
  EXPECT_EQ(parsed.benchmark, BenchCommandLine::Benchmark::kFsck);
  EXPECT_EQ(parsed.fsck.against, (std::vector<std::string>{"git", "other"}));
  EXPECT_EQ(parsed.fsck.repository, "a/b");
  EXPECT_EQ(parsed.fsck.threads, 2u);
  EXPECT_FALSE(parsed.fsck.shares);
  EXPECT_EQ(parse({"fsck", "a"}).fsck.against, std::vector<std::string>{"git"});
  EXPECT_TRUE(parse({"fsck", "--alone", "a"}).fsck.against.empty());
}

TEST(CommandLineTest, FewRoundsAreTurnsAndManyAreOperations) {
  const auto few = parse({"sha1", "--rounds", "15", "--turn", "2"}).sha1.turns;
  EXPECT_EQ(few.rounds, 15u);
  EXPECT_EQ(few.operations, 1u);
  EXPECT_DOUBLE_EQ(few.seconds, 0.002);
  const auto many = parse({"rc4", "--rounds", "1000000"}).rc4.turns;
  EXPECT_EQ(many.rounds, 100u);
  EXPECT_EQ(many.operations, 10'000u);
}

TEST(CommandLineTest, ReportsToCompareMayBeStandardInput) {
  const auto parsed = parse({"compare", "--fail-above=2.5", "-", "new", "--alpha", "0.01"});
  EXPECT_EQ(parsed.compare.before, "-");
  EXPECT_EQ(parsed.compare.after, "new");
  EXPECT_EQ(parsed.compare.fail_above, 2.5);
  EXPECT_EQ(parsed.compare.alpha, 0.01);
}

TEST(CommandLineTest, HelpIsNoMistake) {
  for (const char* benchmark : {"sha1", "rc4", "fsck", "compare"}) {
    const auto result = testing::run_tool({"bench", benchmark, "--help"}, "/");
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.out.find("Usage: assay bench " + std::string(benchmark)), std::string::npos)
        << result.out;
    EXPECT_EQ(result.err, "");
  }
}

TEST(CommandLineTest, MistakesAreNamedWithAWayOut) {
  const auto result = testing::run_tool({"bench", "sha1", "--size", "3q"}, "/");
  EXPECT_EQ(result.status, 129);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "error: --size: '3q' is no number of bytes from 1 to 1g, nor one of mix_250, mix_700, "
            "mix_2000, mix_tail\nRun 'assay bench sha1 --help' for its options.\n");
}

TEST(CommandLineTest, ContradictionsAreMistakes) {
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"sha1", "--table", "f1", "--kernel", "blk"},
        Words{"sha1", "--table", "f1", "--batch"},
        Words{"sha1", "--table", "2009", "--detect", "on"},
        Words{"sha1", "--table", "2009", "--size", "8,64"},
        Words{"sha1", "--table", "asm", "--size", "mix_250"}, Words{"sha1", "--table", "1999"},
        Words{"fsck", "--alone", "--against", "git", "."}}) {
    Words arguments{"bench"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    EXPECT_EQ(testing::run_tool(arguments, "/").status, 129) << words.back();
  }
}

}  // namespace
}  // namespace assay::tools
