// The statistics of benchmarks: the median, and whether two samples differ.
#pragma once

#include <span>

namespace assay::tools {

// Returns: the median; of an even number of values the mean of the two in the middle; 0 of none.
double median(std::span<const double> values);

// The two-sided test of H. B. Mann and D. R. Whitney ("On a Test of Whether one of Two Random
// Variables is Stochastically Larger than the Other", 1947).
//
// Returns: the probability that two samples of one distribution differ at least as much as these
// in the order of their values. Exact when no value occurs twice and both samples have at most 50;
// otherwise by the normal distribution, corrected for ties and for continuity. 1 when a sample is
// empty or all values are equal.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

// With fewer values than this in both samples, mann_whitney_p cannot fall below 0.05.
constexpr unsigned kFewestForSignificance = 4;

}  // namespace assay::tools
