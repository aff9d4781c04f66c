// Running the same work on several threads, and sharing out ranges of a large array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace assay {

// Calls work(0) .. work(threads - 1), each on a thread of its own (the first on this one), and
// returns when all have returned. Requires: threads >= 1; `work` lets no exception out.
template <typename Work>
void run_workers(unsigned threads, const Work& work) {
  std::vector<std::jthread> others;
  others.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  work(0u);
}

// Splits [0, count) into one range a thread and calls work(begin, end) for each. Small counts are
// done on this thread alone: starting a thread costs more than a few thousand items.
template <typename Work>
void run_ranges(unsigned threads, std::size_t count, const Work& work) {
  constexpr std::size_t kWorthAThread = 16384;
  const std::size_t wanted = std::min<std::size_t>(threads, count / kWorthAThread + 1);
  run_workers(static_cast<unsigned>(wanted),
              [&](unsigned i) { work(count * i / wanted, count * (i + 1) / wanted); });
}

}  // namespace assay
