// What a benchmark measures: one Series a row, with every round kept, and what it was measured on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::tools {

struct Series {
  std::string name;                  // "sha1/one/portable/plain/8192"
  double bytes = 0;                  // bytes an operation handles on average; 0: not of interest
  std::uint64_t operations = 0;      // in all rounds together
  std::vector<double> nanoseconds;   // of processor time, for one operation; one a round
  std::vector<double> wall_seconds;  // for one operation; as many, or none when not of interest
};

// "key" and "value", in the order in which they are shown.
using Circumstances = std::vector<std::pair<std::string, std::string>>;

struct BenchReport {
  Circumstances circumstances;
  std::vector<Series> series;
};

// Returns: megabytes (10^6 bytes) a second at so many nanoseconds an operation; 0 without bytes.
inline double megabytes_per_second(double bytes, double nanoseconds) {
  return nanoseconds > 0 ? bytes * 1e3 / nanoseconds : 0;
}

}  // namespace assay::tools
