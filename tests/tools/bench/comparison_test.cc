#include "tools/bench/comparison.h"

#include <gtest/gtest.h>

namespace assay::tools {
namespace {

// Two reports: a row that halved its time, one that did not change, one too short to tell, one in
// each alone.
BenchReport before() {
  return {{},
          {{"sha1/one/portable/plain/8", 8, 0, {200, 202, 198, 201, 199}, {}},
           {"same", 1000, 0, {10, 12, 11, 13, 14}, {}},
           {"short", 0, 0, {1000}, {}},
           {"gone", 0, 0, {1}, {}}}};
}

BenchReport after() {
  return {{},
          {{"new", 0, 0, {1}, {}},
           {"short", 0, 0, {1500}, {}},
           {"sha1/one/portable/plain/8", 8, 0, {100, 102, 98, 101, 99}, {}},
           {"same", 1000, 0, {12.5, 11.5, 10.5, 13.5, 14.5, 9.5}, {}}}};
}

TEST(ComparisonTest, HasTheShapeOfBenchcmp) {
  EXPECT_EQ(to_text(compare_reports(before(), after(), 0.05)),
            "benchmark                  old ns/op  new ns/op    delta\n"
            "sha1/one/portable/plain/8        200        100  -50.00%    (p=0.008 n=5)\n"
            "same                            12.0       12.0        ~  (p=1.000 n=5+6)\n"
            "short                           1000       1500        ~    (p=1.000 n=1)\n"
            "\n"
            "benchmark                  old MB/s  new MB/s  speedup\n"
            "sha1/one/portable/plain/8     40.00     80.00    2.00x    (p=0.008 n=5)\n"
            "same                       83333.33  83333.33        ~  (p=1.000 n=5+6)\n"
            "\n"
            "rows with fewer than 4 rounds can be told apart from chance by no test\n"
            "only in old: gone\n"
            "only in new: new\n");
}

TEST(ComparisonTest, AlphaDecidesWhatIsSignificant) {
  EXPECT_TRUE(compare_reports(before(), after(), 0.05).rows[0].significant);
  EXPECT_FALSE(compare_reports(before(), after(), 0.001).rows[0].significant);
}

TEST(ComparisonTest, SlowerRowsAreThoseBeyondChance) {
  // The other way round the first row doubled.
  const Comparison slower = compare_reports(after(), before(), 0.05);
  const auto above_50 = rows_slower_by(slower, 50);
  ASSERT_EQ(above_50.size(), 1u);
  EXPECT_EQ(above_50[0]->name, "sha1/one/portable/plain/8");
  EXPECT_NEAR(above_50[0]->delta_percent, 100, 1e-9);
  EXPECT_TRUE(rows_slower_by(slower, 100.1).empty());
  // Nothing is known of a row with one round: its median counts.
  const Comparison faster = compare_reports(before(), after(), 0.05);
  const auto above_10 = rows_slower_by(faster, 10);
  ASSERT_EQ(above_10.size(), 1u);
  EXPECT_EQ(above_10[0]->name, "short");
  // A difference that may be chance is none, however large its median.
  const BenchReport a{{}, {{"x", 0, 0, {10, 11, 12, 30}, {}}}};
  const BenchReport b{{}, {{"x", 0, 0, {10.5, 11.5, 29, 31}, {}}}};
  EXPECT_TRUE(rows_slower_by(compare_reports(a, b, 0.05), 10).empty());
}

}  // namespace
}  // namespace assay::tools
