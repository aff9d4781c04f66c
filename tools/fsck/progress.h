// Shows how far a run of fsck is: one line on standard error that is written over.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/fsck.h"
#include "tools/common/output.h"

namespace assay::tools {

// Shows progress from construction to destruction, four times a second, the first time after half
// a second: short runs say nothing.
class ProgressLine {
 public:
  // Both must outlive the line. Nobody else may write to `err` meanwhile.
  ProgressLine(const FsckProgress& progress, Output& err);
  ~ProgressLine();

 private:
  void run();
  void show(bool last);

  const FsckProgress& progress_;
  Output& err_;
  bool shown_ = false;
  bool stop_ = false;  // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point start_;
  std::thread thread_;
};

}  // namespace assay::tools
