// Measuring contestants by turns: in every round each has one turn, so that what disturbs the
// machine for a while disturbs all of them.
//
// Time is the processor time of this thread, which other programs hardly change; the wall clock is
// kept beside it. Every turn but the first, which warms up and is not counted, gives one value.
// Rounds go through the contestants in turn forwards and backwards.
#pragma once

#include <functional>
#include <span>

#include "tools/bench/series.h"

namespace assay::tools {

struct Contestant {
  std::string name;
  double bytes = 0;                         // an operation handles, on average
  std::uint64_t unit = 1;                   // operations that cannot be divided, of one call
  std::function<void(std::uint64_t)> call;  // calls so often
};

struct Turns {
  unsigned rounds = 9;
  double seconds = 0.005;        // how long a turn should take at least
  std::uint64_t operations = 1;  // the fewest in a turn
};

// Returns: one series for each contestant, in their order, each with `rounds` values.
std::vector<Series> take_turns(std::span<const Contestant> contestants, const Turns& turns);

// Makes the compiler believe that what `pointer` leads to, and all other memory, is read and
// written here: nothing is hoisted out of a loop around it or left out.
inline void touch_memory(const void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

// Processor time of this thread in nanoseconds.
double thread_nanoseconds();

}  // namespace assay::tools
