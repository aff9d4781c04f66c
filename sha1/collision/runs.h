#ifndef ASSAY_SHA1_COLLISION_RUNS_H_
#define ASSAY_SHA1_COLLISION_RUNS_H_

#include <array>
#include <bit>
#include <cstdint>

#include "sha1/collision/conditions.h"

/// The conditions of one block, several at a time, on vectors of consecutive message words.
///
/// Conditions of vectors that differ in K only are shifted copies of each other: what II(45,0) asks
/// of words 44 and 45, II(46,0) asks of 45 and 46. So a vector of the words i, i + 1, ... and one
/// of the words j, j + 1, ... can be tested lane by lane: that is a *run*. Unlike the families of
/// families.h, the words need not be turned into slices before.
///
/// A vector is excluded by the first of its conditions that is broken, so that after half of the
/// runs, in a good order, most blocks need no more: 92 of 100 random ones.
///
/// Everything here is derived from kConditions at compile time.
namespace assay::sha1::collision {

/// Lane n tests bit p of word i + n against bit q of word j + n.
template <unsigned kLanes>
struct Run {
  std::uint8_t i = 0;
  std::uint8_t p = 0;
  std::uint8_t j = 0;
  std::uint8_t q = 0;
  std::uint8_t c = 0;
  VectorSet vectors[kLanes] = {};  ///< By lane: what a broken condition excludes; may be empty.
};

template <unsigned kLanes>
struct Runs {
  unsigned count = 0;
  Run<kLanes> runs[kConditionCount] = {};  ///< In the order in which they are best tested.

  /// So many of the first settle most blocks.
  constexpr unsigned first_half() const { return (count + 1) / 2; }
};

namespace internal {

/// Puts next the run that leaves the fewest vectors of a random block, on average: each condition
/// that it tests halves what is left of those that it excludes.
template <unsigned kLanes>
constexpr void order(Runs<kLanes>& all) {
  std::uint64_t left[32] = {};
  for (std::uint64_t& share : left) share = std::uint64_t{1} << 40;
  for (unsigned next = 0; next < all.count; ++next) {
    unsigned best = next;
    std::uint64_t best_gain = 0;
    for (unsigned r = next; r < all.count; ++r) {
      std::uint64_t gain = 0;
      for (VectorSet set : all.runs[r].vectors) {
        for (; set != 0; set &= set - 1) gain += left[std::countr_zero(set)];
      }
      if (gain > best_gain) {
        best = r;
        best_gain = gain;
      }
    }
    const Run<kLanes> chosen = all.runs[best];
    all.runs[best] = all.runs[next];
    all.runs[next] = chosen;
    for (VectorSet set : chosen.vectors) {
      for (; set != 0; set &= set - 1) left[std::countr_zero(set)] /= 2;
    }
  }
}

}  // namespace internal

/// Lays out the runs. Lanes stay inside the words kFirstWord to kLastWord.
template <unsigned kLanes>
constexpr Runs<kLanes> make_runs() {
  // With i <= j, so that conditions written the other way round join.
  std::array<Condition, kConditionCount> conditions{};
  for (unsigned n = 0; n < kConditionCount; ++n) {
    const Condition& c = kConditions[n];
    conditions[n] = c.i <= c.j ? c : Condition{c.j, c.q, c.i, c.p, c.c, c.vectors};
  }
  Runs<kLanes> all;
  bool used[kConditionCount] = {};
  for (unsigned word = kFirstWord; word <= kLastWord; ++word) {
    for (unsigned n = 0; n < kConditionCount; ++n) {
      const Condition& first = conditions[n];
      if (used[n] || first.i != word) continue;
      Run<kLanes>& run = all.runs[all.count++];
      run.i = first.i;
      run.j = first.j;
      if (run.j + kLanes - 1 > kLastWord) {
        run.j = static_cast<std::uint8_t>(kLastWord + 1 - kLanes);
        run.i = static_cast<std::uint8_t>(run.j - (first.j - first.i));
      }
      run.p = first.p;
      run.q = first.q;
      run.c = first.c;
      for (unsigned m = 0; m < kConditionCount; ++m) {
        const Condition& c = conditions[m];
        if (used[m] || c.p != run.p || c.q != run.q || c.c != run.c) continue;
        if (c.j - c.i != first.j - first.i || c.i < run.i || c.i >= run.i + kLanes) continue;
        used[m] = true;
        run.vectors[c.i - run.i] |= c.vectors;
      }
    }
  }
  internal::order(all);
  return all;
}

template <unsigned kLanes>
inline constexpr Runs<kLanes> kRuns = make_runs<kLanes>();

}  // namespace assay::sha1::collision

#endif  // ASSAY_SHA1_COLLISION_RUNS_H_
