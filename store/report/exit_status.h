// The exit status of fsck: git's bit mask, and 128 where git 2.55 would have died.
#pragma once

#include "store/report/finding.h"

namespace assay {

class ExitStatus {
 public:
  void add(const Finding& finding) {
    if (finding.severity < Severity::kError) return;
    if (finding.bit == ExitBit::kBitDies) {
      dies_ = true;
    } else {
      bits_ |= static_cast<unsigned>(finding.bit);
    }
  }
  // Returns: exactly 128 when a fault was met at which git dies, else the sum of git's bits.
  int value() const { return dies_ ? 128 : static_cast<int>(bits_); }

 private:
  unsigned bits_ = 0;
  bool dies_ = false;
};

}  // namespace assay
