#include "tools/bench/fsck_figures.h"

#include <gtest/gtest.h>

namespace assay::tools {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kOut =
    "missing blob 1111\n"
    "broken link from    tree 2222\n"
    "              to    blob 1111\n"
    "dangling commit 0000\n";

TEST(FsckFiguresTest, FindingsAreSortedAndBrokenLinksWhole) {
  EXPECT_EQ(findings_of(kOut), (Lines{"broken link from    tree 2222 to    blob 1111",
                                      "dangling commit 0000", "missing blob 1111"}));
  EXPECT_EQ(findings_of(""), Lines{});
  EXPECT_EQ(findings_of("last line without end"), Lines{"last line without end"});
}

TEST(FsckFiguresTest, BrokenLinksWithoutTheirFrom) {
  EXPECT_EQ(findings_without_from(kOut),
            (Lines{"broken link to    blob 1111", "dangling commit 0000", "missing blob 1111"}));
}

TEST(FsckFiguresTest, ReadsTheProfile) {
  const auto figures = parse_profile(
      "error: something else\n"
      "stage        seconds   share\n"
      "other          0.203  10.0 %\n"
      "SHA-1          0.500  25.0 %\n"
      "checksums      0.105   5.0 %\n"
      "waiting        0.400  20.0 %\n"
      "workers        2.000\n"
      "objects 12341, bytes 125414076, hashed bytes 125539801, packs 1, loose objects 0\n"
      "SHA-1 33.0 % of CPU time (kernel avx512_x16, detecting, 12341 objects)\n");
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->total_seconds, 2);
  EXPECT_EQ(figures->waiting_seconds, 0.4);
  EXPECT_EQ(figures->hash_seconds, 0.5);
  EXPECT_EQ(figures->objects, 12341u);
  EXPECT_EQ(figures->hashed_bytes, 125539801u);
  EXPECT_NEAR(figures->share(), 0.5 / 1.6, 1e-12);
}

TEST(FsckFiguresTest, AProfileThatIsNotThere) {
  EXPECT_FALSE(parse_profile(""));
  EXPECT_FALSE(parse_profile("SHA-1 0.5\nworkers 1\n"));
}

}  // namespace
}  // namespace assay::tools
