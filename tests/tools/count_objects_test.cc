#include <gtest/gtest.h>

#include "tests/support/run_tool.h"
#include "tests/support/small_pack.h"

namespace assay {
namespace {

using testing::run_tool;

class CountObjectsTest : public ::testing::Test {
 protected:
  CountObjectsTest() {
    EXPECT_EQ(0, run_tool({"init", "-q", "."}, root_.path()).status);
    for (int i = 0; i < 3; ++i) {
      testing::put_object(root_, "blob", std::to_string(i), ".git/objects");
    }
  }
  testing::ToolResult count(std::vector<std::string> options = {}) {
    options.insert(options.begin(), "count-objects");
    return run_tool(options, root_.path());
  }
  testing::TemporaryDirectory root_;
};

TEST_F(CountObjectsTest, Plain) {
  const auto result = count();
  EXPECT_EQ(0, result.status);
  EXPECT_EQ("3 objects, 12 kilobytes\n", result.out);  // a block each
  EXPECT_EQ("3 objects, 12.00 KiB\n", count({"-H"}).out);
}

TEST_F(CountObjectsTest, VerboseCountsPacksAndGarbage) {
  testing::SmallPack pack;
  pack.add_blob("0");  // loose, too
  pack.add_blob("packed");
  pack.write(root_, ".git/objects");
  root_.write(".git/objects/pack/pack-small.keep", "");
  root_.write(".git/objects/pack/pack-lost.pack", "12345");
  root_.write(".git/objects/pack/pack-lonely.idx", "");
  root_.write(".git/objects/pack/pack-tail.rev", "");
  root_.write(".git/objects/pack/README", "12");
  root_.write(".git/objects/pack/multi-pack-index", "");
  root_.write(".git/objects/00/tmp_obj_abc", "123");
  std::filesystem::create_directories(root_.path(".git/objects/01/" + std::string(38, 'a')));
  root_.write("other/objects/00/x", "");
  root_.write(".git/objects/info/alternates", root_.path("other/objects") + "\n");
  const auto result = count({"-v"});
  EXPECT_EQ(0, result.status);
  const auto size = (pack.pack().size() + pack.index().size()) / 1024;
  EXPECT_TRUE(result.out.starts_with(
      "count: 3\nsize: 12\nin-pack: 2\npacks: 1\nsize-pack: " + std::to_string(size) +
      "\nprune-packable: 1\ngarbage: 6\nsize-garbage: "))
      << result.out;
  EXPECT_TRUE(result.out.ends_with("\nalternate: " + root_.path("other/objects") + "\n"))
      << result.out;
  for (const char* line :
       {"warning: garbage found: .git/objects/00/tmp_obj_abc\n",
        "warning: garbage found: .git/objects/pack/README\n",
        "warning: no corresponding .idx: .git/objects/pack/pack-lost.pack\n",
        "warning: no corresponding .pack: .git/objects/pack/pack-lonely.idx\n",
        "warning: no corresponding .idx or .pack: .git/objects/pack/pack-tail.rev\n"}) {
    EXPECT_NE(std::string::npos, result.err.find(line)) << line << result.err;
  }
}

TEST_F(CountObjectsTest, PacksThatCannotBeUsedAreNamed) {
  root_.write(".git/objects/pack/pack-bad.idx", "");
  root_.write(".git/objects/pack/pack-bad.pack", "");
  const auto result = count({"-v"});
  EXPECT_EQ(0, result.status);
  EXPECT_EQ("error: index file .git/objects/pack/pack-bad.idx is too small\n", result.err);
  EXPECT_NE(std::string::npos, result.out.find("\npacks: 0\n"));
  EXPECT_NE(std::string::npos, result.out.find("\ngarbage: 0\n"));
}

TEST_F(CountObjectsTest, WrongUseIs129) {
  EXPECT_EQ(129, count({"argument"}).status);
  EXPECT_EQ(129, count({"--nonsense"}).status);
}

}  // namespace
}  // namespace assay
