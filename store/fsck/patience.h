// Patience: decides whether what a look at a repository found is to be believed, or whether another
// process that works there may have caused it.
//
// A check that compares files which were read at different times can find faults that never were.
// So a look that found something is believed when nothing moved during it, or when the same has
// been found in several looks over some time; else there is another look, after a short wait. What
// still comes and goes when patience ends is dropped, and said to be inconclusive.
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "store/report/finding.h"

namespace assay {

class Patience {
 public:
  struct Look {
    bool moved = false;      // objects or derived files came or went during the look
    bool unsettled = false;  // something could not be read whole, findings or not
    // The names in a pack directory are of the last seconds.
    bool packs_are_fresh = false;
  };

  // `first_look`: how long the first look took, storage included; the patience in all is as long,
  // at least some seconds.
  explicit Patience(std::chrono::steady_clock::duration first_look);

  // Returns: true when there is to be another look; it has waited a little then.
  bool wants_another_look(const std::vector<Finding>& found, const Look& look);

  // Takes out of the findings of the last look what cannot be believed. Returns: what was taken
  // out; with `unsettled()` the run is inconclusive.
  std::vector<Finding> take_doubtful(std::vector<Finding>& found) const;
  bool unsettled() const { return unsettled_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    int looks = 0;  // in a row
    Clock::time_point first;
  };

  static std::string key(const Finding& finding);
  bool is_steady(const Seen& seen, int looks, Clock::duration time) const;

  Clock::duration limit_;
  Clock::time_point begin_;
  std::map<std::string, Seen> seen_;
  int looks_ = 0;
  bool unsettled_ = false;
};

// True for a finding that says that something is wrong.
bool is_alarm(const Finding& finding);

}  // namespace assay
