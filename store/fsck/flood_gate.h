// FloodGate: reports the faults of one file at a time, and counts them only once there are many:
// a file of noise has a fault for each object.
//
// Thread safety: none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/fsck/fault_reporter.h"

namespace assay {

class FloodGate {
 public:
  static constexpr std::size_t kMostFaults = 1000;  // of one file, reported one by one

  explicit FloodGate(FaultReporter& reporter) : reporter_(reporter) {}

  void enter_file(const std::string& shown) {
    reporter_.enter_file(shown);
    shown_ = shown;
    count_ = 0;
  }
  void report(MessageId id, std::string text, std::vector<std::string> causes = {}) {
    if (++count_ > kMostFaults) return;
    last_ = id;
    Finding found = reporter_.finding(id, std::move(text));
    found.causes = std::move(causes);
    reporter_.report(std::move(found));
  }
  void report(const Fault& fault) { report(fault.id, fault.text, fault.causes); }
  // Says how many faults were not reported.
  void leave_file() {
    if (count_ <= kMostFaults) return;
    reporter_.report(last_, std::to_string(count_ - kMostFaults) + " more faults in " + shown_);
  }

 private:
  FaultReporter& reporter_;
  std::string shown_;
  std::size_t count_ = 0;
  MessageId last_{};
};

}  // namespace assay
