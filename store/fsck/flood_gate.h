// FloodGate: reports the faults of one file at a time, and only counts those of a kind once there
// are many: a file of noise has a fault for each object.
//
// Thread safety: none.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/fsck/fault_reporter.h"

namespace assay {

class FloodGate {
 public:
  static constexpr std::size_t kMostFaults = 1000;  // of one kind in one file

  explicit FloodGate(FaultReporter& reporter) : reporter_(reporter) {}

  void enter_file(const std::string& shown) {
    reporter_.enter_file(shown);
    shown_ = shown;
    counts_.clear();
  }
  void report(MessageId id, std::string text, std::vector<std::string> causes = {}) {
    if (++counts_[id] > kMostFaults) return;
    Finding found = reporter_.finding(id, std::move(text));
    found.causes = std::move(causes);
    reporter_.report(std::move(found));
  }
  void report(const Fault& fault) { report(fault.id, fault.text, fault.causes); }
  // Says how many faults were not reported.
  void leave_file() {
    for (const auto& [id, count] : counts_) {
      if (count <= kMostFaults) continue;
      reporter_.report(id, std::to_string(count - kMostFaults) + " more faults in " + shown_);
    }
  }

 private:
  FaultReporter& reporter_;
  std::string shown_;
  std::map<MessageId, std::size_t> counts_;
};

}  // namespace assay
