#include "tools/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace assay::tools {
namespace {

constexpr std::size_t kMostForExact = 50;

// Among all orders of `n` values of one sample and `m` of the other, the share of those with at
// most `u` pairs in which the first sample's value is the larger one.
//
// counts[j][k] becomes the number of orders of i and j values with k such pairs, i growing: the
// largest value belongs either to the first sample, and then exceeds all j of the other, or to the
// other.
double share_at_most(std::size_t n, std::size_t m, std::size_t u) {
  std::vector<std::vector<double>> counts(m + 1, std::vector<double>(u + 1, 0));
  for (std::size_t j = 0; j <= m; ++j) counts[j][0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      for (std::size_t k = u + 1; k-- > 0;) {
        const double largest_of_first = k >= j ? counts[j][k - j] : 0;
        counts[j][k] = largest_of_first + counts[j - 1][k];
      }
    }
  }
  double favourable = 0;
  for (std::size_t k = 0; k <= u; ++k) favourable += counts[m][k];
  double orders = 1;  // n + m over n
  for (std::size_t i = 1; i <= n; ++i) {
    orders *= static_cast<double>(m + i) / static_cast<double>(i);
  }
  return favourable / orders;
}

}  // namespace

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  // Ranks from 1; equal values share the mean of their ranks.
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double rank_sum = 0;   // of `a`
  double tie_terms = 0;  // t^3 - t for each group of t equal values
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    std::size_t of_a = 0;
    while (end < all.size() && all[end].first == all[begin].first) of_a += all[end++].second;
    const double count = static_cast<double>(end - begin);
    rank_sum += static_cast<double>(of_a) * (static_cast<double>(begin + end) + 1) / 2;
    tie_terms += count * count * count - count;
    begin = end;
  }
  const double n = static_cast<double>(a.size());
  const double m = static_cast<double>(b.size());
  const double u_of_a = rank_sum - n * (n + 1) / 2;
  const double u = std::min(u_of_a, n * m - u_of_a);

  if (tie_terms == 0 && a.size() <= kMostForExact && b.size() <= kMostForExact) {
    return std::min(1.0, 2 * share_at_most(a.size(), b.size(), static_cast<std::size_t>(u)));
  }
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - tie_terms / (total * (total - 1)));
  if (variance <= 0) return 1;
  const double z = std::max(0.0, n * m / 2 - u - 0.5) / std::sqrt(variance);
  return std::min(1.0, std::erfc(z / std::numbers::sqrt2));
}

}  // namespace assay::tools
