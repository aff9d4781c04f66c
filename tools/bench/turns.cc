#include "tools/bench/turns.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace assay::tools {
namespace {

struct Elapsed {
  double processor = 0;  // nanoseconds
  double wall = 0;
};

Elapsed time_calls(const Contestant& contestant, std::uint64_t calls) {
  const auto wall = std::chrono::steady_clock::now();
  const double begin = thread_nanoseconds();
  contestant.call(calls);
  Elapsed elapsed;
  elapsed.processor = thread_nanoseconds() - begin;
  elapsed.wall =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - wall).count();
  return elapsed;
}

// Finds out how many calls fill a turn. This warms up, too.
std::uint64_t calls_for_a_turn(const Contestant& contestant, const Turns& turns) {
  const double wanted = turns.seconds * 1e9;
  const std::uint64_t fewest =
      std::max<std::uint64_t>(1, (turns.operations + contestant.unit - 1) / contestant.unit);
  for (std::uint64_t calls = 1;; calls *= 4) {
    const double taken = time_calls(contestant, calls).processor;
    // A tenth of a turn is long enough to be multiplied.
    if (taken * 10 < wanted) continue;
    const double needed = std::ceil(static_cast<double>(calls) * wanted / taken);
    return std::max(fewest, static_cast<std::uint64_t>(needed));
  }
}

}  // namespace

double thread_nanoseconds() {
  timespec now;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::vector<Series> take_turns(std::span<const Contestant> contestants, const Turns& turns) {
  std::vector<Series> series;
  std::vector<std::uint64_t> calls;
  for (const Contestant& contestant : contestants) {
    series.push_back({contestant.name, contestant.bytes, 0, {}, {}});
    calls.push_back(calls_for_a_turn(contestant, turns));
  }
  for (unsigned round = 0; round < turns.rounds; ++round) {
    for (std::size_t place = 0; place < contestants.size(); ++place) {
      const std::size_t i = round % 2 == 0 ? place : contestants.size() - 1 - place;
      const Elapsed elapsed = time_calls(contestants[i], calls[i]);
      const std::uint64_t operations = calls[i] * contestants[i].unit;
      const double count = static_cast<double>(operations);
      series[i].operations += operations;
      series[i].nanoseconds.push_back(elapsed.processor / count);
      series[i].wall_seconds.push_back(elapsed.wall / count * 1e-9);
    }
  }
  return series;
}

}  // namespace assay::tools
