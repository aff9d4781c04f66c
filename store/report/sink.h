// FindingSink: where findings go. `add` returns nothing, so no sink can stop the run.
#pragma once

#include <utility>
#include <vector>

#include "store/report/finding.h"

namespace assay {

class FindingSink {
 public:
  virtual ~FindingSink() = default;
  virtual void add(Finding finding) = 0;
};

// Keeps findings; each worker has one of its own, the checker merges and sorts them.
class FindingList : public FindingSink {
 public:
  void add(Finding finding) override { findings_.push_back(std::move(finding)); }
  std::vector<Finding>& findings() { return findings_; }

 private:
  std::vector<Finding> findings_;
};

}  // namespace assay
