#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/run_tool.h"
#include "tests/support/small_pack.h"

namespace assay {
namespace {

using testing::id_of;
using testing::run_tool;
using testing::with_header;

// The commit that the gitlink names: twenty bytes of 1.
const std::string kSubmodule = "0101010101010101010101010101010101010101";

class CatFileTest : public ::testing::Test {
 protected:
  CatFileTest() {
    EXPECT_EQ(0, run({"init", "-q", "-b", "main", "."}).status);
    blob_ = put("blob", "content\n");
    const std::string raw_blob(as_text(id_of(with_header("blob", "content\n")).bytes()));
    tree_ = put("tree", "100644 a\tb" + std::string(1, '\0') + raw_blob + "100755 file" +
                            std::string(1, '\0') + raw_blob + "160000 sub" + std::string(1, '\0') +
                            std::string(20, '\1'));
    commit_ = put("commit", "tree " + tree_ +
                                "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nfirst\n");
    second_ = put("commit", "tree " + tree_ + "\nparent " + commit_ +
                                "\nauthor A <a@b> 2 +0000\ncommitter A <a@b> 2 +0000\n\nnext\n");
    tag_ = put("tag",
               "object " + second_ + "\ntype commit\ntag v1\ntagger A <a@b> 3 +0000\n\nmessage\n");
    root_.write(".git/refs/heads/main", second_ + "\n");
    root_.write(".git/refs/tags/v1", tag_ + "\n");
  }

  std::string put(std::string_view type, std::string_view content) {
    return testing::put_object(root_, type, content, ".git/objects").hex();
  }
  testing::ToolResult run(const std::vector<std::string>& arguments, std::string_view input = "") {
    return run_tool(arguments, root_.path(), input);
  }
  // Returns: the output of a run that must succeed.
  std::string cat(const std::vector<std::string>& arguments, std::string_view input = "") {
    std::vector<std::string> all{"cat-file"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto result = run(all, input);
    EXPECT_EQ(0, result.status) << result.err;
    return result.out;
  }

  testing::TemporaryDirectory root_;
  std::string blob_;
  std::string tree_;
  std::string commit_;
  std::string second_;
  std::string tag_;
};

TEST_F(CatFileTest, TypeSizeAndExistence) {
  EXPECT_EQ("blob\n", cat({"-t", blob_}));
  EXPECT_EQ("tag\n", cat({"-t", "v1"}));
  EXPECT_EQ("8\n", cat({"-s", blob_}));
  EXPECT_EQ("", cat({"-e", tree_}));
  const std::string absent(40, '1');
  const auto missing = run({"cat-file", "-e", absent});
  EXPECT_EQ(1, missing.status);
  EXPECT_EQ("", missing.err);
  const auto no_info = run({"cat-file", "-t", absent});
  EXPECT_EQ(128, no_info.status);
  EXPECT_EQ("fatal: git cat-file: could not get object info\n", no_info.err);
  const auto no_name = run({"cat-file", "-p", "nonsense"});
  EXPECT_EQ(128, no_name.status);
  EXPECT_EQ("fatal: Not a valid object name nonsense\n", no_name.err);
}

TEST_F(CatFileTest, WhatExistsIsSound) {
  // Stored under the id of other content, as a disk or an attacker could leave it.
  const std::string path = ".git/objects/" + blob_.substr(0, 2) + "/" + blob_.substr(2);
  const std::string other = put("blob", "other content\n");
  const std::string content =
      root_.read(".git/objects/" + other.substr(0, 2) + "/" + other.substr(2));
  root_.write(path, content);
  const auto damaged = run({"cat-file", "-e", blob_});
  EXPECT_EQ(1, damaged.status);
  EXPECT_NE(std::string::npos, damaged.err.find("hash-path mismatch, found at: " + path))
      << damaged.err;
  EXPECT_EQ("", damaged.out);

  root_.write(path, content.substr(0, content.size() / 2));
  EXPECT_EQ(1, run({"cat-file", "-e", blob_}).status);
  EXPECT_EQ("", cat({"-e", other}));
}

TEST_F(CatFileTest, ContentIsPeeledToTheType) {
  EXPECT_EQ("content\n", cat({"blob", blob_}));
  const std::string commit = cat({"commit", "HEAD"});
  EXPECT_EQ(commit, cat({"commit", "v1"}));
  EXPECT_EQ(commit, cat({"-p", second_}));
  EXPECT_EQ(cat({"tree", "v1"}), cat({"tree", tree_}));
  EXPECT_TRUE(cat({"-p", "v1"}).starts_with("object " + second_));
  const auto wrong = run({"cat-file", "blob", "HEAD"});
  EXPECT_EQ(128, wrong.status);
  EXPECT_EQ("fatal: git cat-file HEAD: bad file\n", wrong.err);
  EXPECT_EQ("fatal: invalid object type \"nonsense\"\n", run({"cat-file", "nonsense", "HEAD"}).err);
}

TEST_F(CatFileTest, TreesArePretty) {
  EXPECT_EQ("100644 blob " + blob_ + "\t\"a\\tb\"\n100755 blob " + blob_ +
                "\tfile\n160000 commit " + kSubmodule + "\tsub\n",
            cat({"-p", tree_}));
}

TEST_F(CatFileTest, NamesOfManyForms) {
  const std::pair<std::string, std::string> cases[] = {
      {"HEAD", second_},
      {"@", second_},
      {"main", second_},
      {"heads/main", second_},
      {"refs/heads/main", second_},
      {"HEAD^", commit_},
      {"HEAD^1", commit_},
      {"HEAD~1", commit_},
      {"HEAD~", commit_},
      {"HEAD^0", second_},
      {"v1^{}", second_},
      {"v1^{commit}", second_},
      {"v1^{tree}", tree_},
      {"v1^{tag}", tag_},
      {"HEAD:", tree_},
      {"HEAD:file", blob_},
      {"v1~1:file", blob_},
      {blob_.substr(0, 10), blob_},
      {tree_.substr(0, 10) + "^{tree}", tree_},
  };
  for (const auto& [name, expected] : cases) {
    EXPECT_EQ(expected + "\n", cat({"--batch-check=%(objectname)"}, name + "\n")) << name;
  }
  for (const char* name : {"HEAD^2", "HEAD~2", "HEAD:missing", "HEAD:file/x", "v1^{blob}",
                           "refs/heads", "abc", "", "^", "~1"}) {
    EXPECT_EQ(std::string(name) + " missing\n", cat({"--batch-check"}, std::string(name) + "\n"));
  }
}

TEST_F(CatFileTest, AmbiguousAbbreviations) {
  // Two blobs whose ids begin alike, found by trying.
  std::map<std::string, std::string> seen;
  std::string prefix;
  for (int i = 0; prefix.empty(); ++i) {
    const std::string hex = put("blob", std::to_string(i));
    if (!seen.emplace(hex.substr(0, 4), hex).second) prefix = hex.substr(0, 4);
  }
  EXPECT_EQ(prefix + " ambiguous\n", cat({"--batch-check"}, prefix + "\n"));
  const auto result = run({"cat-file", "-t", prefix});
  EXPECT_EQ(128, result.status);
  EXPECT_EQ("error: short object ID " + prefix + " is ambiguous\nfatal: Not a valid object name " +
                prefix + "\n",
            result.err);
}

TEST_F(CatFileTest, BatchShowsHeadersAndContents) {
  const std::string absent(40, '1');
  EXPECT_EQ(blob_ + " blob 8\ncontent\n\n" + absent + " missing\n" + blob_ + " blob 8\ncontent\n\n",
            cat({"--batch"}, blob_ + "\n" + absent + "\n" + "HEAD:file"));
  EXPECT_EQ(kSubmodule + " submodule\n", cat({"--batch-check"}, "HEAD:sub\n"));
}

TEST_F(CatFileTest, BatchFormats) {
  EXPECT_EQ("8 100644? blob% -> more words\n",
            cat({"--batch-check=%(objectsize) 100644? %(objecttype)%% -> %(rest)"},
                blob_ + "  more words\n"));
  EXPECT_EQ("100755\n", cat({"--batch-check=%(objectmode)"}, "HEAD:file\n"));
  const auto disk = std::filesystem::file_size(
      root_.path(".git/objects/" + blob_.substr(0, 2) + "/" + blob_.substr(2)));
  EXPECT_EQ(std::to_string(disk) + " " + std::string(40, '0') + "\n",
            cat({"--batch-check=%(objectsize:disk) %(deltabase)"}, blob_ + "\n"));
  for (const char* format : {"%(nonsense)", "%(objectname"}) {
    const auto result = run({"cat-file", "--batch-check=" + std::string(format)});
    EXPECT_EQ(128, result.status);
    EXPECT_TRUE(result.err.starts_with("fatal: bad cat-file format: ")) << result.err;
  }
}

TEST_F(CatFileTest, AllObjectsInBothOrders) {
  testing::SmallPack pack;
  pack.add_blob("packed");
  const auto base = pack.add_blob("base text");
  pack.add_offset_delta(base, testing::simple_delta(9, 9, "!"),
                        id_of(with_header("blob", "base text!")));
  pack.add_blob("content\n");  // a second copy of a loose object
  pack.write(root_, ".git/objects");
  const std::string sorted = cat({"--batch-all-objects", "--batch-check"});
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < sorted.size();) {
    const std::size_t end = sorted.find('\n', at);
    lines.push_back(sorted.substr(at, end - at));
    at = end + 1;
  }
  EXPECT_EQ(8U, lines.size());
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  const std::string unordered = cat({"--batch-all-objects", "--batch-check", "--unordered"});
  EXPECT_EQ(sorted.size(), unordered.size());
  for (const std::string& line : lines) EXPECT_NE(std::string::npos, unordered.find(line + "\n"));
  EXPECT_NE(std::string::npos,
            cat({"--batch-all-objects", "--batch-check=%(objectsize) %(deltabase)"})
                .find("10 " + id_of(with_header("blob", "base text")).hex()));
}

TEST_F(CatFileTest, DamagedObjects) {
  root_.write(".git/objects/" + blob_.substr(0, 2) + "/" + blob_.substr(2), "damaged");
  const auto batch = run({"cat-file", "--batch-check"}, blob_ + "\n" + tree_ + "\n");
  EXPECT_EQ(0, batch.status);
  EXPECT_TRUE(batch.out.starts_with(blob_ + " missing\n" + tree_ + " tree ")) << batch.out;
  EXPECT_NE(std::string::npos, batch.err.find("unable to unpack header of .git/objects/"));
  const auto single = run({"cat-file", "-p", blob_});
  EXPECT_EQ(128, single.status);
  EXPECT_EQ("", single.out);
}

TEST_F(CatFileTest, ALockStepPipeIsAnsweredLineByLine) {
  int to_tool[2];
  int from_tool[2];
  ASSERT_EQ(0, pipe2(to_tool, O_CLOEXEC));
  ASSERT_EQ(0, pipe2(from_tool, O_CLOEXEC));
  const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
  testing::ToolProcess process({"cat-file", "--batch-check"}, root_.path(), to_tool[0],
                               from_tool[1], quiet);
  close(to_tool[0]);
  close(from_tool[1]);
  for (int i = 0; i < 5; ++i) {
    const std::string expected = blob_ + " blob 8\n";
    ASSERT_EQ(41, write(to_tool[1], (blob_ + "\n").data(), 41));
    std::string answer(expected.size(), '\0');
    for (std::size_t got = 0; got < answer.size();) {
      const ssize_t size = read(from_tool[0], answer.data() + got, answer.size() - got);
      ASSERT_GT(size, 0);
      got += static_cast<std::size_t>(size);
    }
    EXPECT_EQ(expected, answer);
  }
  close(to_tool[1]);
  close(from_tool[0]);
  close(quiet);
}

TEST_F(CatFileTest, WrongUseIs129) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"-e"}, "fatal: <object> required with '-e'\n\n"},
      {{"-e", "-t", "x"}, "error: options '-t' and '-e' cannot be used together\n"},
      {{"--batch", "x"}, "fatal: batch modes take no arguments\n\n"},
      {{"blob"}, "fatal: only two arguments allowed in <type> <object> mode, not 1\n\n"},
      {{"-t", "a", "b"}, "fatal: too many arguments\n\n"},
      {{"--buffer"}, "fatal: '--buffer' requires a batch mode\n\n"},
      {{"--batch-all-objects"}, "fatal: '--batch-all-objects' requires a batch mode\n\n"},
      {{"--batch", "--batch-check"}, "error: only one batch option may be specified\n"},
      {{"-p", "--batch"}, "fatal: '-p' is incompatible with batch mode\n\n"},
      {{}, "usage: assay cat-file <type> <object>\n"},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all{"cat-file"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto result = run(all);
    EXPECT_EQ(129, result.status) << expected;
    EXPECT_TRUE(result.err.starts_with(expected)) << result.err;
  }
}

}  // namespace
}  // namespace assay
