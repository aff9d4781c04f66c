// `assay sha1sum` beside sha1sum of the GNU coreutils: the same output, errors and status.

#include "tools/sha1sum/sha1sum.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "fixtures/collision_pairs.h"
#include "sha1/sha1.h"
#include "store/base/object_id.h"
#include "tests/support/failing_system.h"
#include "tests/support/random.h"
#include "tests/support/run_tool.h"

namespace assay::tools {
namespace {

using testing::run_tool;
using testing::TemporaryDirectory;
using testing::ToolResult;

using Names = std::vector<std::string>;

class Sha1sumTest : public ::testing::Test {
 protected:
  ToolResult ours(Names arguments, std::string_view input = "") {
    arguments.insert(arguments.begin(), "sha1sum");
    return run_tool(arguments, files_.path(), input);
  }

  // The installed program, in the files' directory.
  ToolResult theirs(const Names& arguments, std::string_view input = "") {
    streams_.write("in", input);
    std::string command = "cd '" + files_.path() + "' && LC_ALL=C.UTF-8 sha1sum";
    for (const std::string& argument : arguments) {
      command += " '";
      for (const char c : argument) command += c == '\'' ? "'\\''" : std::string(1, c);
      command += "'";
    }
    command += " <'" + streams_.path("in") + "' >'" + streams_.path("out") + "' 2>'" +
               streams_.path("err") + "'";
    const int raw = std::system(command.c_str());
    return {WEXITSTATUS(raw), streams_.read("out"), streams_.read("err")};
  }

  // Both say the same; where `words` is false, only whether something is wrong.
  void expect_same(const Names& arguments, std::string_view input = "", bool words = true) {
    const ToolResult our = ours(arguments, input);
    const ToolResult their = theirs(arguments, input);
    std::string shown;
    for (const std::string& argument : arguments) shown += " " + argument;
    EXPECT_EQ(our.status, their.status) << shown;
    EXPECT_EQ(our.out, their.out) << shown;
    std::string err = our.err;
    if (const auto at = err.find("Try 'assay sha1sum"); at != std::string::npos)
      err.erase(at + 5, 6);
    if (words) {
      EXPECT_EQ(err, their.err) << shown;
    } else {
      EXPECT_EQ(err.empty(), their.err.empty()) << shown << err;
    }
  }

  static std::string hex_of(std::string_view content) {
    return to_hex(sha1::digest_of(as_bytes(content)).digest);
  }

  TemporaryDirectory files_;
  TemporaryDirectory streams_;
};

#define REQUIRE_COREUTILS()                                                               \
  if (theirs({"--version"}).out.find("sha1sum (GNU coreutils) 9") == std::string::npos) { \
    GTEST_SKIP() << "sha1sum of the GNU coreutils 9 is not installed";                    \
  }

TEST_F(Sha1sumTest, PrintsDigestsInTheOrderOfTheFiles) {
  files_.write("a", "abc");
  files_.write("b", "");
  EXPECT_EQ(ours({"b", "a", "b"}).out,
            "da39a3ee5e6b4b0d3255bfef95601890afd80709  b\n"
            "a9993e364706816aba3e25717850c26c9cd0d89d  a\n"
            "da39a3ee5e6b4b0d3255bfef95601890afd80709  b\n");
  EXPECT_EQ(ours({"--tag", "a"}).out, "SHA1 (a) = a9993e364706816aba3e25717850c26c9cd0d89d\n");
  EXPECT_EQ(ours({}, "abc").out, "a9993e364706816aba3e25717850c26c9cd0d89d  -\n");
  EXPECT_EQ(ours({"a", "-"}, "abc").out,
            "a9993e364706816aba3e25717850c26c9cd0d89d  a\n"
            "a9993e364706816aba3e25717850c26c9cd0d89d  -\n");
}

TEST_F(Sha1sumTest, ManyRandomFilesOfAllSizes) {
  REQUIRE_COREUTILS();
  testing::Random random(1);
  Names names;
  // More than one turn of a worker, sizes around the block and the buffer, and some large ones.
  for (int i = 0; i < 300; ++i) {
    std::size_t size = random.below(200);
    if (i % 5 == 0) size = random.below(20'000);
    if (i % 50 == 0) size = (256 << 10) - 2 + random.below(5);
    if (i % 100 == 7) size = 1'000'000 + random.below(1000);
    names.push_back("file" + std::to_string(i));
    files_.write(names.back(), as_text(random.bytes(size)));
  }
  names.insert(names.begin() + 40, "absent");
  expect_same(names);
  const ToolResult sums = ours(names);
  files_.write("list", sums.out);
  expect_same({"-c", "list"});
  expect_same({"-c"}, sums.out);
  files_.write("file3", "changed");
  files_.write("file250", "changed");
  std::filesystem::remove(files_.path("file77"));
  expect_same({"-c", "list"});
  expect_same({"-c", "--quiet", "list"});
  expect_same({"-c", "--ignore-missing", "list"});
}

TEST_F(Sha1sumTest, NamesThatNeedQuoting) {
  REQUIRE_COREUTILS();
  const Names names = {"back\\slash", "line\nfeed", "return\rhere", "sp ace",
                       "it's",        "d$",         "\xc3\xa9"};
  for (const std::string& name : names) files_.write(name, name);
  for (const char* option : {"-b", "-t", "--tag", "-z"}) {
    Names arguments = names;
    arguments.insert(arguments.begin(), option);
    expect_same(arguments);
  }
  files_.write("list", ours(names).out);
  expect_same({"-c", "list"});
  files_.write("tagged", ours({"--tag", names[0], names[1], names[2]}).out);
  expect_same({"-c", "tagged"});
  for (const std::string& name : names) std::filesystem::remove(files_.path(name));
  expect_same(names);
  expect_same({"-c", "list"});
}

TEST_F(Sha1sumTest, EveryKindOfLineInAList) {
  REQUIRE_COREUTILS();
  files_.write("a", "hi\n");
  std::filesystem::create_directory(files_.path("directory"));
  const std::string good = hex_of("hi\n");
  const std::string bad(40, '0');
  const std::string upper = [&] {
    std::string text = good;
    for (char& c : text) c = static_cast<char>(std::toupper(c));
    return text;
  }();
  files_.write("list", good + "  a\n" + good + " *a\nSHA1 (a) = " + good + "\nSHA1(a)= " + good +
                           "\nsha1 (a) = " + good + "\n" + bad + "  a\n  " + good + "  a\n" +
                           upper + "  a\n" + good + " a\n" + good + "\ta\n" + good +
                           "   a\nbad line\n# comment\n\n\r\n" + good + "  absent\n" + good +
                           "  directory\n\\" + good + "  c\\\\d\nSHA1 (a) = " + good + "0\n" +
                           good + "0  a\nMD5 (a) = d41d8cd98f00b204e9800998ecf8427e\n" + good +
                           "  a\r\n" + good + "  a");
  for (const Names& options : std::vector<Names>{{},
                                                 {"--warn"},
                                                 {"-w"},
                                                 {"--quiet"},
                                                 {"--status"},
                                                 {"--strict"},
                                                 {"--ignore-missing"},
                                                 {"--warn", "--status"},
                                                 {"--status", "--warn"},
                                                 {"--quiet", "--status", "--strict"}}) {
    Names arguments = {"--check"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("list");
    expect_same(arguments);
  }
}

TEST_F(Sha1sumTest, WhatIsNoList) {
  REQUIRE_COREUTILS();
  std::filesystem::create_directory(files_.path("directory"));
  files_.write("empty", "");
  files_.write("text", "some text\n");
  files_.write("a", "");
  files_.write("good", hex_of("") + "  a\n");
  files_.write("absent", hex_of("") + "  nowhere\n");
  files_.write("misformatted", hex_of("") + "  a\ntext\n");
  for (const char* list : {"directory", "nothing", "empty", "text", "good", "misformatted"}) {
    for (const char* option : {"--warn", "--strict", "--status", "--quiet", "--ignore-missing"}) {
      expect_same({"-c", option, list});
    }
  }
  expect_same({"-c", "--ignore-missing", "absent"});
  expect_same({"-c", "good", "text", "absent", "good"});
  expect_same({"-c", "-", "good"}, hex_of("") + "  a\n");
  expect_same({"-c"}, "text\n");
  for (const char* end : {"\r\n", "\r", "\r\r\n", ""}) {
    expect_same({"-c"}, hex_of("") + "  a" + end);
  }
  // A list cannot name the input that it comes from; another list can.
  expect_same({"-c"}, hex_of("") + "  -\n" + hex_of("abc") + "  a\n");
  files_.write("list", hex_of("text") + "  -\n");
  expect_same({"-c", "list"}, "text");
}

TEST_F(Sha1sumTest, WrongUse) {
  REQUIRE_COREUTILS();
  files_.write("a", "");
  for (const Names& arguments : std::vector<Names>{{"--foo", "a"},
                                                   {"-x", "a"},
                                                   {"-cx", "a"},
                                                   {"--t", "a"},
                                                   {"--st", "a"},
                                                   {"--bin", "a"},
                                                   {"--binary=3", "a"},
                                                   {"-bt", "a"},
                                                   {"-tb", "a"},
                                                   {"--tag", "-t", "a"},
                                                   {"-t", "--tag", "a"},
                                                   {"-b", "--tag", "a"},
                                                   {"--tag", "-z", "a"},
                                                   {"-c", "-b", "a"},
                                                   {"-c", "-t", "a"},
                                                   {"-c", "--tag", "a"},
                                                   {"-c", "-z", "a"},
                                                   {"-c", "-z", "--tag", "a"},
                                                   {"--quiet", "a"},
                                                   {"--status", "a"},
                                                   {"--strict", "a"},
                                                   {"--warn", "a"},
                                                   {"--ignore-missing", "a"},
                                                   {"--ignore-missing", "--status", "a"},
                                                   {"--quiet", "--warn", "--strict", "a"},
                                                   {"a", "-b"},
                                                   {"--", "-b"}}) {
    expect_same(arguments);
  }
}

TEST_F(Sha1sumTest, HelpAndVersion) {
  const ToolResult help = ours({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"--binary", "--check", "--tag", "--text", "--zero", "--ignore-missing",
                             "--quiet", "--status", "--strict", "--warn"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(ours({"--version"}).out.substr(0, 6), "assay ");
}

// Directories, FIFOs and files behind links, in the middle of others.
TEST_F(Sha1sumTest, OtherKindsOfFiles) {
  REQUIRE_COREUTILS();
  files_.write("a", "abc");
  std::filesystem::create_directory(files_.path("directory"));
  std::filesystem::create_symlink("a", files_.path("link"));
  std::filesystem::create_symlink("nowhere", files_.path("broken"));
  expect_same({"a", "directory", "link", "broken", "/dev/null", "a", "", "a/b"});
}

TEST_F(Sha1sumTest, AFifoIsReadToItsEnd) {
  files_.write("a", "abc");
  ASSERT_EQ(::mkfifo(files_.path("fifo").c_str(), 0600), 0);
  // A process: ThreadSanitizer lets none that has threads fork another with threads.
  const pid_t writer = ::fork();
  ASSERT_NE(writer, -1);
  if (writer == 0) {
    ::alarm(60);
    std::ofstream out(files_.path("fifo"));
    out << std::string(100'000, 'x');
    out.close();
    ::_exit(0);
  }
  const ToolResult result = ours({"a", "fifo", "a"});
  int writer_status = -1;
  ASSERT_EQ(::waitpid(writer, &writer_status, 0), writer);
  EXPECT_EQ(writer_status, 0);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, hex_of("abc") + "  a\n" + hex_of(std::string(100'000, 'x')) + "  fifo\n" +
                            hex_of("abc") + "  a\n");
}

TEST_F(Sha1sumTest, AReadThatFailsIsNamed) {
  files_.write("a", std::string(1000, 'a'));
  testing::FailingSystem system;
  system.fail_all("read", EIO);
  const ToolResult result = run_tool({"sha1sum", "a"}, files_.path(), "", system);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "sha1sum: a: Input/output error\n");
}

TEST_F(Sha1sumTest, ShortReadsChangeNothing) {
  const std::string content(5000, 'a');
  files_.write("a", content);
  testing::FailingSystem system;
  system.limit_reads(7);
  const ToolResult result = run_tool({"sha1sum", "a"}, files_.path(), "", system);
  EXPECT_EQ(result.out, hex_of(content) + "  a\n");
}

std::string collision_file() {
  std::string bytes;
  const std::string_view hex = sha1::kShattered1;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(hex_digit_value(hex[i]) << 4 | hex_digit_value(hex[i + 1]));
  }
  return bytes;
}

// The digest as usual, a line on standard error, status 1: alone, among others, and where a large
// file is hashed as it is read.
TEST_F(Sha1sumTest, ACollisionAttackIsReported) {
  const std::string attack = collision_file();
  const std::string large = attack + std::string(1'000'000, 'x');
  files_.write("sound", "abc");
  files_.write("attack", attack);
  files_.write("large", large);
  const ToolResult result = ours({"sound", "attack", "large", "sound"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, hex_of("abc") + "  sound\n" + sha1::kShatteredSha1 + "  attack\n" +
                            hex_of(large) + "  large\n" + hex_of("abc") + "  sound\n");
  EXPECT_EQ(result.err,
            "attack: SHA-1 collision attack detected\nlarge: SHA-1 collision attack detected\n");
  EXPECT_EQ(ours({"sound"}).status, 0);

  const std::string list =
      std::string(sha1::kShatteredSha1) + "  attack\n" + hex_of("abc") + "  sound\n";
  const ToolResult check = ours({"-c"}, list);
  EXPECT_EQ(check.status, 1);
  EXPECT_EQ(check.out, "attack: OK\nsound: OK\n");
  EXPECT_EQ(check.err, "attack: SHA-1 collision attack detected\n");
  const ToolResult status = ours({"-c", "--status"}, list);
  EXPECT_EQ(status.status, 1);
  EXPECT_EQ(status.out, "");
}

// A program that waits for a result before it writes the next line is answered.
TEST_F(Sha1sumTest, ListsAreCheckedInLockStep) {
  files_.write("a", "abc");
  int to_child[2];
  int from_child[2];
  ASSERT_EQ(::pipe2(to_child, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(from_child, O_CLOEXEC), 0);
  testing::ToolProcess process({"sha1sum", "-c"}, files_.path(), to_child[0], from_child[1], 2);
  ::close(to_child[0]);
  ::close(from_child[1]);
  const std::string line = hex_of("abc") + "  a\n";
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(::write(to_child[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    char answer[16];
    ASSERT_EQ(::read(from_child[0], answer, sizeof answer), 6);
    EXPECT_EQ(std::string(answer, 6), "a: OK\n");
  }
  ::close(to_child[1]);
  ::close(from_child[0]);
}

}  // namespace
}  // namespace assay::tools
