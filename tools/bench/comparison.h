// Comparison: two reports of benchmarks, row by row.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/series.h"

namespace assay::tools {

struct ComparedRow {
  std::string name;
  double before = 0;  // nanoseconds an operation, the medians
  double after = 0;
  double speed_before = 0;  // MB/s; 0 when a report has none
  double speed_after = 0;
  double delta_percent = 0;  // of the time: negative is faster
  double p = 1;              // of Mann and Whitney's test over the rounds
  std::size_t rounds_before = 0;
  std::size_t rounds_after = 0;
  bool significant = false;  // p is below alpha
  bool testable = false;     // there are enough rounds for p to mean something
};

struct Comparison {
  std::vector<ComparedRow> rows;  // in the order of the old report
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
};

Comparison compare_reports(const BenchReport& before, const BenchReport& after, double alpha);

// Two tables as Go's benchcmp has them, times with their delta, then speeds with the speedup, and
// the p of each row; `~` stands for a difference that may be chance.
std::string to_text(const Comparison& comparison);

// Returns: the rows that became slower by more than that, and not by chance. Where there are too
// few rounds to know, the medians alone decide.
std::vector<const ComparedRow*> rows_slower_by(const Comparison& comparison, double percent);

}  // namespace assay::tools
