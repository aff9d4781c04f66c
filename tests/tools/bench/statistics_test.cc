#include "tools/bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>
#include <bit>
#include <vector>

namespace assay::tools {
namespace {

using Values = std::vector<double>;

TEST(MedianTest, TakesTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median(Values{}), 0);
  EXPECT_EQ(median(Values{7}), 7);
  EXPECT_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_EQ(median(Values{4, 1, 3, 2}), 2.5);
}

// Of two samples that do not overlap only the two extreme orders are as far apart: 2 / (n + m over
// n).
TEST(MannWhitneyTest, SeparateSamples) {
  EXPECT_DOUBLE_EQ(mann_whitney_p(Values{1}, Values{2}), 1);
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3}, Values{4, 5, 6}), 2.0 / 20, 1e-12);
  EXPECT_NEAR(mann_whitney_p(Values{14, 15, 16, 17}, Values{4, 5, 6, 7}), 2.0 / 70, 1e-12);
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3, 4, 5}, Values{6, 7, 8, 9, 10}), 2.0 / 252, 1e-12);
}

// The example of R's manual of wilcox.test (Hollander and Wolfe, "Nonparametric Statistical
// Methods", 1973, page 69): W = 35, one-sided p 0.1272.
TEST(MannWhitneyTest, PublishedExample) {
  const Values at_term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Values earlier = {1.15, 0.88, 0.90, 0.74, 1.21};
  EXPECT_NEAR(mann_whitney_p(at_term, earlier), 2 * 0.1272, 1e-4);
  EXPECT_NEAR(mann_whitney_p(earlier, at_term), 2 * 0.1272, 1e-4);
}

// Counts all orders of four and five values, and asks for the p of each of them.
TEST(MannWhitneyTest, EqualsCountingAllOrders) {
  constexpr unsigned kTotal = 9;
  constexpr unsigned kFirst = 4;
  const auto pairs_won = [](unsigned order) {  // bit i: place i belongs to the first sample
    unsigned won = 0;
    for (unsigned i = 0; i < kTotal; ++i) {
      for (unsigned j = 0; j < i; ++j) won += (order >> i & 1) & ~(order >> j) & 1;
    }
    return won;
  };
  const unsigned all = kFirst * (kTotal - kFirst);
  std::vector<unsigned> orders_with(all + 1, 0);
  unsigned orders = 0;
  for (unsigned order = 0; order < 1u << kTotal; ++order) {
    if (std::popcount(order) != kFirst) continue;
    ++orders;
    ++orders_with[pairs_won(order)];
  }
  EXPECT_EQ(orders, 126u);
  for (unsigned order = 0; order < 1u << kTotal; ++order) {
    if (std::popcount(order) != kFirst) continue;
    Values first;
    Values second;
    for (unsigned i = 0; i < kTotal; ++i) (order >> i & 1 ? first : second).push_back(i * 1.5);
    const unsigned u = std::min(pairs_won(order), all - pairs_won(order));
    unsigned at_most = 0;
    for (unsigned k = 0; k <= u; ++k) at_most += orders_with[k];
    EXPECT_NEAR(mann_whitney_p(first, second), std::min(1.0, 2.0 * at_most / orders), 1e-12)
        << "order " << order;
  }
}

// By hand: rank sum 12.5, U 2.5, mean 8, tie terms 24 + 6 + 6, variance 11.142857,
// z = (8 - 2.5 - 0.5) / 3.338092 = 1.497862.
TEST(MannWhitneyTest, TiesGoByTheNormalDistribution) {
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 2, 3}, Values{2, 3, 4, 4}), 0.134169, 1e-5);
}

TEST(MannWhitneyTest, LargeSamplesGoByTheNormalDistribution) {
  Values low;
  Values high;
  for (int i = 0; i < 60; ++i) {
    low.push_back(i);
    high.push_back(i + 12.5);
  }
  // U = 60 * 60 - (1 + ... ) with each value of `high` above min(60, i + 13) of `low`.
  double won = 0;
  for (int i = 0; i < 60; ++i) won += std::min(60, i + 13);
  const double z = (won - 1800 - 0.5) / std::sqrt(60.0 * 60 / 12 * 121);
  EXPECT_NEAR(mann_whitney_p(low, high), std::erfc(z / std::sqrt(2.0)), 1e-12);
  EXPECT_LT(mann_whitney_p(low, high), 0.001);
}

TEST(MannWhitneyTest, NothingToTell) {
  EXPECT_EQ(mann_whitney_p(Values{}, Values{1, 2}), 1);
  EXPECT_EQ(mann_whitney_p(Values{5, 5, 5, 5}, Values{5, 5, 5, 5}), 1);
  EXPECT_EQ(mann_whitney_p(Values{1, 3}, Values{2, 4}), mann_whitney_p(Values{2, 4}, Values{1, 3}));
}

// What the constant promises.
TEST(MannWhitneyTest, FewestForSignificance) {
  Values low;
  Values high;
  for (unsigned i = 0; i + 1 < kFewestForSignificance; ++i) {
    low.push_back(i);
    high.push_back(100 + i);
  }
  EXPECT_GE(mann_whitney_p(low, high), 0.05);
  low.push_back(50);
  high.push_back(150);
  EXPECT_LT(mann_whitney_p(low, high), 0.05);
}

}  // namespace
}  // namespace assay::tools
