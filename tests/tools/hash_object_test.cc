#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "tests/support/failing_system.h"
#include "tests/support/loose_files.h"
#include "tests/support/run_tool.h"

namespace assay {
namespace {

using testing::id_of;
using testing::run_tool;
using testing::with_header;

class HashObjectTest : public ::testing::Test {
 protected:
  HashObjectTest() { EXPECT_EQ(0, run({"init", "-q", "."}).status); }

  testing::ToolResult run(const std::vector<std::string>& arguments, std::string_view input = "") {
    return run_tool(arguments, root_.path(), input);
  }
  static std::string hex_of(std::string_view content, std::string_view type = "blob") {
    return id_of(with_header(type, content)).hex();
  }
  bool is_stored(const std::string& hex) {
    return std::filesystem::exists(
        root_.path(".git/objects/" + hex.substr(0, 2) + "/" + hex.substr(2)));
  }

  testing::TemporaryDirectory root_;
};

TEST_F(HashObjectTest, NamesFilesAndStdinInOrder) {
  root_.write("one", "first");
  root_.write("two", "");
  const auto result = run({"hash-object", "--stdin", "one", "two"}, "from stdin");
  EXPECT_EQ(0, result.status) << result.err;
  EXPECT_EQ(hex_of("from stdin") + "\n" + hex_of("first") + "\n" + hex_of("") + "\n", result.out);
  EXPECT_FALSE(is_stored(hex_of("first")));
  EXPECT_EQ(0, run({"hash-object", "-w", "one"}).status);
  EXPECT_TRUE(is_stored(hex_of("first")));
}

TEST_F(HashObjectTest, WorksOutsideARepositoryWithoutWriting) {
  const testing::TemporaryDirectory outside;
  outside.write("file", "content");
  const auto named = run_tool({"hash-object", "file"}, outside.path());
  EXPECT_EQ(0, named.status);
  EXPECT_EQ(hex_of("content") + "\n", named.out);
  const auto written = run_tool({"hash-object", "-w", "file"}, outside.path());
  EXPECT_EQ(128, written.status);
  EXPECT_TRUE(written.err.starts_with("fatal: not a git repository")) << written.err;
}

TEST_F(HashObjectTest, ManyPathsKeepTheirOrder) {
  std::mt19937 random(1);
  std::string paths;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    std::string content(random() % 3000, 'a');
    for (char& c : content) c = static_cast<char>(random());
    if (i % 500 == 0) content.resize(300000);
    const std::string name = "file " + std::to_string(i);
    root_.write(name, content);
    paths += name + "\n";
    expected += hex_of(content) + "\n";
  }
  const auto result = run({"hash-object", "-w", "--stdin-paths"}, paths);
  EXPECT_EQ(0, result.status) << result.err;
  EXPECT_EQ(expected, result.out);
  for (std::size_t at = 0; at < expected.size(); at += 41) {
    ASSERT_TRUE(is_stored(expected.substr(at, 40)));
  }
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(root_.path(".git/objects"))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("tmp_obj_"));
  }
}

TEST_F(HashObjectTest, QuotedPathsAndLineEnds) {
  root_.write("a\nb\t\"\303\251", "odd name");
  root_.write("plain", "plain");
  const auto result =
      run({"hash-object", "--stdin-paths"}, "\"a\\nb\\t\\\"\\303\\251\"\r\nplain\r\nplain");
  EXPECT_EQ(0, result.status) << result.err;
  EXPECT_EQ(hex_of("odd name") + "\n" + hex_of("plain") + "\n" + hex_of("plain") + "\n",
            result.out);
  for (const char* line : {"\"unfinished\n", "\"done\" more\n", "\"\\q\"\n"}) {
    const auto bad = run({"hash-object", "--stdin-paths"}, "plain\n" + std::string(line));
    EXPECT_EQ(128, bad.status);
    EXPECT_EQ(hex_of("plain") + "\n", bad.out);
    EXPECT_EQ("fatal: line is badly quoted\n", bad.err);
  }
}

TEST_F(HashObjectTest, ALockStepPipeIsAnsweredLineByLine) {
  int to_tool[2];
  int from_tool[2];
  ASSERT_EQ(0, pipe2(to_tool, O_CLOEXEC));
  ASSERT_EQ(0, pipe2(from_tool, O_CLOEXEC));
  const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
  testing::ToolProcess process({"hash-object", "-w", "--stdin-paths"}, root_.path(), to_tool[0],
                               from_tool[1], quiet);
  close(to_tool[0]);
  close(from_tool[1]);
  for (int i = 0; i < 20; ++i) {
    const std::string content = "content " + std::to_string(i);
    root_.write("file", content);
    ASSERT_EQ(5, write(to_tool[1], "file\n", 5));
    std::string answer(41, '\0');
    for (std::size_t got = 0; got < answer.size();) {
      const ssize_t size = read(from_tool[0], answer.data() + got, answer.size() - got);
      ASSERT_GT(size, 0) << "no answer to line " << i;
      got += static_cast<std::size_t>(size);
    }
    EXPECT_EQ(hex_of(content) + "\n", answer);
    EXPECT_TRUE(is_stored(hex_of(content)));
  }
  // The child holds no copy of this end, so it sees the end of its input now.
  close(to_tool[1]);
  close(from_tool[0]);
  close(quiet);
}

TEST_F(HashObjectTest, FailuresComeInOrderAndEndTheRun) {
  root_.write("one", "first");
  root_.write("three", "third");
  const auto missing = run({"hash-object", "--stdin-paths"}, "one\nmissing\nthree\n");
  EXPECT_EQ(128, missing.status);
  EXPECT_EQ(hex_of("first") + "\n", missing.out);
  EXPECT_EQ("fatal: could not open 'missing' for reading: No such file or directory\n",
            missing.err);
  std::filesystem::create_directory(root_.path("directory"));
  const auto directory = run({"hash-object", "directory"});
  EXPECT_EQ(128, directory.status);
  EXPECT_EQ("fatal: Unable to hash directory\n", directory.err);
}

// What a tree calls .gitmodules is judged, but no reason to refuse the tree.
TEST_F(HashObjectTest, BlobsThatATreeNamesAreJudgedByTheWay) {
  const auto tree_with = [](const std::string& file, const std::string& hex) {
    std::string tree = "100644 " + file + '\0';
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      tree += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return tree;
  };
  const auto notes = [&](const std::string& tree) {
    const auto result = run({"hash-object", "-t", "tree", "--stdin"}, tree);
    EXPECT_EQ(0, result.status);
    EXPECT_EQ(hex_of(tree, "tree") + "\n", result.out);
    return result.err;
  };
  const std::string bad = "[submodule \"a\"]\n\turl = -x\n";
  const std::string modules = tree_with(".gitmodules", hex_of(bad));
  EXPECT_EQ("error: object fails fsck: gitmodulesMissing: unable to read .gitmodules blob\n",
            notes(modules));
  EXPECT_EQ(0, run({"hash-object", "-w", "--stdin"}, bad).status);
  EXPECT_TRUE(notes(modules).starts_with("error: object fails fsck: gitmodulesUrl: "));
  EXPECT_EQ("", notes(tree_with(".gitattributes", hex_of(bad))));
  EXPECT_EQ(0, run({"hash-object", "-w", "-t", "tree", "--stdin"}, modules).status);
  EXPECT_EQ("error: object fails fsck: gitattributesBlob: non-blob found at .gitattributes\n",
            notes(tree_with(".gitattributes", hex_of(modules, "tree"))));
}

TEST_F(HashObjectTest, ControlBytesOfAnObjectAreNotPrinted) {
  const std::string tag =
      "object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\n"
      "tag a\x1b[31m\ntagger A <a@b> 1 +0000\n\nx\n";
  const auto result = run({"hash-object", "-t", "tag", "--stdin"}, tag);
  EXPECT_EQ(128, result.status);
  EXPECT_NE(std::string::npos, result.err.find("invalid 'tag' name: a?[31m\n")) << result.err;
}

TEST_F(HashObjectTest, TypesAreChecked) {
  const std::string commit =
      "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
      "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nmessage\n";
  const auto good = run({"hash-object", "-t", "commit", "-w", "--stdin"}, commit);
  EXPECT_EQ(0, good.status) << good.err;
  EXPECT_EQ(hex_of(commit, "commit") + "\n", good.out);
  EXPECT_TRUE(is_stored(hex_of(commit, "commit")));

  const auto bad = run({"hash-object", "-t", "commit", "-w", "--stdin"}, "nonsense\n");
  EXPECT_EQ(128, bad.status);
  EXPECT_TRUE(bad.err.starts_with("error: object fails fsck: missingTree: ")) << bad.err;
  EXPECT_TRUE(bad.err.ends_with("fatal: refusing to create malformed object\n")) << bad.err;
  EXPECT_FALSE(is_stored(hex_of("nonsense\n", "commit")));

  const auto literally =
      run({"hash-object", "-t", "commit", "-w", "--literally", "--stdin"}, "nonsense\n");
  EXPECT_EQ(0, literally.status);
  EXPECT_TRUE(is_stored(hex_of("nonsense\n", "commit")));

  const auto unknown = run({"hash-object", "-t", "nonsense", "--stdin"}, "x");
  EXPECT_EQ(128, unknown.status);
  EXPECT_EQ("fatal: invalid object type \"nonsense\"\n", unknown.err);
}

TEST_F(HashObjectTest, LargeFilesAndPipesAreStreamed) {
  std::string content((17 << 20) + 5, '\0');
  std::mt19937 random(2);
  for (std::size_t i = 0; i < content.size(); i += 64) content[i] = static_cast<char>(random());
  root_.write("large", content);
  const std::string expected = hex_of(content) + "\n";
  EXPECT_EQ(expected, run({"hash-object", "large"}).out);
  EXPECT_EQ(expected, run({"hash-object", "-w", "large"}).out);
  EXPECT_EQ(content, run({"cat-file", "blob", hex_of(content)}).out);

  // A FIFO does not tell its size.
  std::filesystem::remove_all(root_.path(".git/objects/" + hex_of(content).substr(0, 2)));
  ASSERT_EQ(0, mkfifo(root_.path("fifo").c_str(), 0600));
  const pid_t feeder = fork();
  if (feeder == 0) {
    const int fd = open(root_.path("fifo").c_str(), O_WRONLY);
    const auto written = os::write_all(os::System::real(), fd, as_bytes(content));
    _exit(written ? 0 : 1);
  }
  const auto piped = run({"hash-object", "-w", "fifo"});
  int feeder_status = 0;
  waitpid(feeder, &feeder_status, 0);
  EXPECT_EQ(0, piped.status) << piped.err;
  EXPECT_EQ(expected, piped.out);
  EXPECT_TRUE(is_stored(hex_of(content)));
}

TEST_F(HashObjectTest, ADamagedCopyIsReplaced) {
  root_.write("file", "content");
  const std::string hex = hex_of("content");
  root_.write(".git/objects/" + hex.substr(0, 2) + "/" + hex.substr(2), "");
  EXPECT_EQ(hex + "\n", run({"hash-object", "-w", "file"}).out);
  EXPECT_EQ("content", run({"cat-file", "-p", hex}).out);
}

TEST_F(HashObjectTest, AFullDiskIsAClearError) {
  root_.write("file", "content");
  root_.write("other", "other content");
  testing::FailingSystem system;
  // The object's first write fails; what is said about it must still get out.
  int writes = 0;
  system.before_each([&](const std::string& name) {
    if (name == "link_descriptor") ++writes;
  });
  system.fail_all("link_descriptor", ENOSPC);
  const auto result = run_tool({"hash-object", "-w", "file", "other"}, root_.path(), "", system);
  EXPECT_EQ(128, result.status);
  EXPECT_EQ("", result.out);
  EXPECT_NE(std::string::npos, result.err.find("No space left on device")) << result.err;
  EXPECT_TRUE(result.err.ends_with("fatal: Unable to add file to database\n")) << result.err;
  EXPECT_FALSE(is_stored(hex_of("content")));
}

TEST_F(HashObjectTest, DurabilityLevelsGiveTheSameObjects) {
  std::string paths;
  std::string expected;
  for (int i = 0; i < 150; ++i) {
    root_.write("f" + std::to_string(i), std::to_string(i));
    paths += "f" + std::to_string(i) + "\n";
    expected += hex_of(std::to_string(i)) + "\n";
  }
  for (const char* method : {"fsync", "writeout-only", "batch"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root_.path(".git/objects"))) {
      if (entry.path().filename().string().size() == 2) std::filesystem::remove_all(entry.path());
    }
    const auto result =
        run({"-c", "core.fsync=loose-object", "-c", "core.fsyncMethod=" + std::string(method),
             "hash-object", "-w", "--stdin-paths"},
            paths);
    EXPECT_EQ(0, result.status) << result.err;
    EXPECT_EQ(expected, result.out);
    for (std::size_t at = 0; at < expected.size(); at += 41) {
      EXPECT_TRUE(is_stored(expected.substr(at, 40))) << method;
    }
  }
}

TEST_F(HashObjectTest, WrongCombinationsAre129) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--stdin-paths", "--stdin"}, "error: Can't use --stdin-paths with --stdin\n"},
      {{"--stdin-paths", "file"}, "error: Can't specify files with --stdin-paths\n"},
      {{"--stdin-paths", "--path=x"}, "error: Can't use --stdin-paths with --path\n"},
      {{"--stdin", "--stdin"}, "error: Multiple --stdin arguments are not supported\n"},
      {{"--path=x", "--no-filters", "file"}, "error: Can't use --path with --no-filters\n"},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all{"hash-object"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto result = run(all);
    EXPECT_EQ(129, result.status);
    EXPECT_TRUE(result.err.starts_with(expected)) << result.err;
  }
}

TEST_F(HashObjectTest, Sha256Repositories) {
  ASSERT_EQ(0, run({"init", "-q", "--object-format=sha256", "other"}).status);
  root_.write("other/a", "a");
  root_.write("other/b", "b");
  const auto result = run_tool({"hash-object", "-w", "a", "b"}, root_.path("other"));
  EXPECT_EQ(0, result.status) << result.err;
  EXPECT_EQ(name_object(ObjectType::kBlob, as_bytes("a"), HashKind::kSha256).id.hex() + "\n" +
                name_object(ObjectType::kBlob, as_bytes("b"), HashKind::kSha256).id.hex() + "\n",
            result.out);
  EXPECT_EQ("b", run_tool({"cat-file", "-p", result.out.substr(65, 64)}, root_.path("other")).out);
}

}  // namespace
}  // namespace assay
