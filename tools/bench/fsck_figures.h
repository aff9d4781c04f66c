// What runs of fsck said, taken apart: verdicts to be compared, and the figures of our own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tools {

// The findings on standard output, sorted. A broken link, which takes two lines, is one finding.
std::vector<std::string> findings_of(std::string_view out);

// The same, broken links without their "from" half: which of the objects that name a missing one is
// reported depends on the order of the walk.
std::vector<std::string> findings_without_from(std::string_view out);

// Seconds are sums over all workers by the wall clock: only their proportions mean something on a
// machine that does other things too.
struct FsckFigures {
  double total_seconds = 0;
  double waiting_seconds = 0;  // part of the total in which nothing was done
  double hash_seconds = 0;
  std::uint64_t objects = 0;
  std::uint64_t hashed_bytes = 0;

  // SHA-1's part of the work, from 0 to 1.
  double share() const {
    const double work = total_seconds - waiting_seconds;
    return work > 0 ? hash_seconds / work : 0;
  }
};

// Reads the table that `assay fsck --profile` writes to standard error.
std::optional<FsckFigures> parse_profile(std::string_view err);

}  // namespace assay::tools
