// The figures of one fsck run: how long it took, where the time went, what was verified.
#pragma once

#include <array>
#include <chrono>

#include "store/fsck/check_storage.h"
#include "store/fsck/fsck_run.h"

namespace assay {

// Measures from its construction on. Thread safety: const; the processor's time is that of all
// threads of the process.
class RunTimer {
 public:
  RunTimer();

  // Fills in the seconds of the run until now and those of each stage.
  // `stage_ticks`: sums over all workers. Requires: statistics.hash is set.
  void read(const std::array<std::uint64_t, kStages>& stage_ticks,
            FsckStatistics& statistics) const;

 private:
  std::chrono::steady_clock::time_point start_;
  double cpu_start_;          // seconds
  std::uint64_t tick_start_;  // of StageClock
};

// Fills in what was verified, and by which kernel. `detecting`: collision detection was asked for.
void describe_work(const Storage& storage, const StorageCheckResult& checked, unsigned threads,
                   bool detecting, FsckStatistics& statistics);

}  // namespace assay
