// Dispatch, global options and the habits of the option parser.
#include "tools/common/command.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/run_tool.h"
#include "tools/common/options.h"

namespace assay::tools {
namespace {

using testing::run_tool;
using testing::TemporaryDirectory;

class CommandTest : public ::testing::Test {
 protected:
  testing::ToolResult run(const std::vector<std::string>& arguments) {
    return run_tool(arguments, root_.path());
  }
  TemporaryDirectory root_;
};

TEST_F(CommandTest, VersionNamesKernels) {
  const auto version = run({"--version"});
  EXPECT_EQ(0, version.status);
  EXPECT_TRUE(version.out.starts_with("assay version ")) << version.out;
  EXPECT_EQ(1, std::count(version.out.begin(), version.out.end(), '\n'));
  const auto verbose = run({"--version", "-v"});
  EXPECT_EQ(0, verbose.status);
  EXPECT_NE(std::string::npos, verbose.out.find("compiler: "));
  EXPECT_NE(std::string::npos, verbose.out.find("SHA-1 kernel: portable"));
  EXPECT_NE(std::string::npos, verbose.out.find(" (chosen)"));
}

TEST_F(CommandTest, WrongUseOfGlobalOptionsIs129) {
  const std::vector<std::string> cases[] = {
      {"--nonsense"}, {"-C"}, {"-c"}, {"--git-dir"}, {"--version", "--nonsense"}};
  for (const auto& arguments : cases) {
    const auto result = run(arguments);
    EXPECT_EQ(129, result.status) << arguments[0];
    EXPECT_NE(std::string::npos, result.err.find("usage: assay ")) << arguments[0];
  }
}

TEST_F(CommandTest, UnknownCommandsAndNone) {
  EXPECT_EQ(1, run({"nonsense"}).status);
  EXPECT_EQ("assay: 'nonsense' is not an assay command. See 'assay --help'.\n",
            run({"nonsense"}).err);
  EXPECT_EQ(1, run({}).status);
  const auto help = run({"help"});
  EXPECT_EQ(0, help.status);
  for (const Command& command : all_commands()) {
    EXPECT_NE(std::string::npos, help.out.find(std::string(command.name)));
  }
}

TEST_F(CommandTest, ChangesDirectoryInSteps) {
  std::filesystem::create_directories(root_.path("a/b"));
  ASSERT_EQ(0, run({"-C", "a", "-C", "b", "init", "-q", "repo"}).status);
  EXPECT_TRUE(std::filesystem::exists(root_.path("a/b/repo/.git/HEAD")));
  const auto missing = run({"-C", "missing", "help"});
  EXPECT_EQ(128, missing.status);
  EXPECT_EQ("fatal: cannot change to 'missing': No such file or directory\n", missing.err);
}

TEST_F(CommandTest, GitDirAndConfigReachTheCommand) {
  ASSERT_EQ(0, run({"init", "-q", "--bare", "bare.git"}).status);
  root_.write("file", "content");
  const auto hashed = run({"--git-dir=bare.git", "hash-object", "-w", "file"});
  EXPECT_EQ(0, hashed.status) << hashed.err;
  EXPECT_EQ(0, run({"--git-dir", "bare.git", "cat-file", "-e", hashed.out.substr(0, 40)}).status);
  const auto bad =
      run({"-c", "core.compression=77", "--git-dir", "bare.git", "hash-object", "-w", "file"});
  EXPECT_EQ(128, bad.status);
  EXPECT_EQ("fatal: bad zlib compression level 77\n", bad.err);
}

TEST_F(CommandTest, ResultsThatDoNotArriveAreNoSuccess) {
  root_.write("file", "content");
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
  testing::ToolProcess process({"hash-object", "file"}, root_.path(), quiet, full, quiet);
  EXPECT_EQ(128, process.wait());
  close(full);
  close(quiet);
}

// The parser by itself.
class OptionParserTest : public ::testing::Test {
 protected:
  struct Parsed {
    std::optional<int> status;
    std::string err;
    std::vector<std::string> positional;
  };
  Parsed parse(std::vector<std::string> arguments) {
    root_.write("err", "");
    const int fd = open(root_.path("err").c_str(), O_WRONLY | O_CLOEXEC);
    Parsed parsed;
    {
      Output out(os::System::real(), fd, Output::Buffering::kUnbuffered);
      Output err(os::System::real(), fd, Output::Buffering::kUnbuffered);
      Context context{os::System::real(), 0, out, err, {}};
      OptionParser parser({"assay test"});
      parser.flag('f', "full", "", &full_);
      parser.flag(0, "progress", "", &progress_);
      parser.flag(0, "no-index", "", &no_index_);
      parser.count('v', "verbose", "", &verbose_);
      parser.mode('e', "", "", &mode_, 'e');
      parser.mode('p', "pretty", "", &mode_, 'p');
      parser.value('t', "type", "type", "", &type_);
      parser.optional_value(0, "batch", "format", "", [&](std::optional<std::string_view> value) {
        batch_ = value.value_or("none");
        return std::optional<std::string>();
      });
      std::vector<char*> pointers;
      for (std::string& argument : arguments) pointers.push_back(argument.data());
      parsed.status = parser.parse(context, pointers);
      parsed.positional = parser.positional();
    }
    close(fd);
    parsed.err = root_.read("err");
    return parsed;
  }

  TemporaryDirectory root_;
  bool full_ = false;
  bool progress_ = false;
  bool no_index_ = false;
  int verbose_ = 0;
  int mode_ = 0;
  std::string type_;
  std::string batch_;
};

TEST_F(OptionParserTest, FormsOfOptions) {
  const auto parsed = parse({"-fvv", "one", "--type=blob", "--batch=%(rest)", "two", "--", "-x"});
  EXPECT_FALSE(parsed.status.has_value()) << parsed.err;
  EXPECT_TRUE(full_);
  EXPECT_EQ(2, verbose_);
  EXPECT_EQ("blob", type_);
  EXPECT_EQ("%(rest)", batch_);
  EXPECT_EQ((std::vector<std::string>{"one", "two", "-x"}), parsed.positional);
  parse({"-ttree"});
  EXPECT_EQ("tree", type_);
  parse({"-t", "tag", "--batch", "positional"});
  EXPECT_EQ("tag", type_);
  EXPECT_EQ("none", batch_);
}

TEST_F(OptionParserTest, NegationAndAbbreviation) {
  full_ = progress_ = true;
  verbose_ = 3;
  EXPECT_FALSE(parse({"--no-full", "--no-pro", "--no-verbose", "--no-ind"}).status.has_value());
  EXPECT_FALSE(full_);
  EXPECT_FALSE(progress_);
  EXPECT_EQ(0, verbose_);
  EXPECT_TRUE(no_index_);
  EXPECT_FALSE(parse({"--index", "--prog"}).status.has_value());
  EXPECT_FALSE(no_index_);
  EXPECT_TRUE(progress_);
  const auto ambiguous = parse({"--pr"});
  EXPECT_EQ(129, ambiguous.status);
  EXPECT_NE(std::string::npos,
            ambiguous.err.find("error: ambiguous option: pr (could be --progress or --pretty)"));
}

TEST_F(OptionParserTest, WrongUse) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--nonsense"}, "error: unknown option `nonsense'\n"},
      {{"-x"}, "error: unknown switch `x'\n"},
      {{"--full=1"}, "error: option `full' takes no value\n"},
      {{"--no-full=1"}, "error: option `no-full' takes no value\n"},
      {{"--type"}, "error: option `type' requires a value\n"},
      {{"-t"}, "error: switch `t' requires a value\n"},
      {{"-e", "-p"}, "error: options '-p' and '-e' cannot be used together\n"},
      {{"-e", "--pretty"}, "error: options '--pretty' and '-e' cannot be used together\n"},
  };
  for (const auto& [arguments, expected] : cases) {
    mode_ = 0;
    const auto parsed = parse(arguments);
    EXPECT_EQ(129, parsed.status) << arguments[0];
    EXPECT_TRUE(parsed.err.starts_with(expected)) << parsed.err;
  }
  mode_ = 0;
  EXPECT_FALSE(parse({"-e", "-e"}).status.has_value());
  for (const char* help : {"-h", "--help-all", "-vh"}) {
    const auto parsed = parse({"name", help});
    EXPECT_EQ(0, parsed.status) << help;
    EXPECT_TRUE(parsed.err.starts_with("usage: assay test\n")) << parsed.err;
  }
}

}  // namespace
}  // namespace assay::tools
