// The exit status of fsck: git's bit mask, 128 where git 2.55 would have died, and 240 for a run
// that is inconclusive: nothing wrong was found for certain, but the repository kept changing.
#pragma once

#include "store/report/finding.h"

namespace assay {

class ExitStatus {
 public:
  void add(const Finding& finding) {
    if (finding.severity < Severity::kError) return;
    if (finding.bit == ExitBit::kBitDies) {
      dies_ = true;
    } else if (finding.bit == ExitBit::kBitInconclusive) {
      inconclusive_ = true;
    } else {
      bits_ |= static_cast<unsigned>(finding.bit);
    }
  }
  // Returns: exactly 128 when a fault was met at which git dies, else the sum of git's bits;
  // exactly 240 when there are none, but the run is inconclusive.
  int value() const {
    if (dies_) return 128;
    if (bits_ == 0 && inconclusive_) return static_cast<int>(ExitBit::kBitInconclusive);
    return static_cast<int>(bits_);
  }

 private:
  unsigned bits_ = 0;
  bool dies_ = false;
  bool inconclusive_ = false;
};

}  // namespace assay
