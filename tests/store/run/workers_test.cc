#include "store/run/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "store/run/stage_clock.h"

namespace assay {
namespace {

TEST(Workers, EachNumberRunsOnceOnAThreadOfItsOwn) {
  for (const unsigned threads : {1u, 2u, 9u}) {
    std::mutex mutex;
    std::multiset<unsigned> numbers;
    std::set<std::thread::id> ids;
    std::thread::id first;
    run_workers(threads, [&](unsigned number) {
      const std::lock_guard lock(mutex);
      numbers.insert(number);
      ids.insert(std::this_thread::get_id());
      if (number == 0) first = std::this_thread::get_id();
    });
    EXPECT_EQ(threads, numbers.size());
    for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(1u, numbers.count(i));
    EXPECT_EQ(threads, ids.size());
    EXPECT_EQ(std::this_thread::get_id(), first);
  }
}

TEST(Workers, RangesCoverEverythingOnce) {
  for (const unsigned threads : {1u, 3u, 8u}) {
    for (const std::size_t count : {0u, 1u, 16383u, 16384u, 16385u, 100000u, 1000003u}) {
      std::mutex mutex;
      std::vector<std::pair<std::size_t, std::size_t>> ranges;
      run_ranges(threads, count, [&](std::size_t begin, std::size_t end) {
        const std::lock_guard lock(mutex);
        ranges.emplace_back(begin, end);
      });
      std::sort(ranges.begin(), ranges.end());
      EXPECT_LE(ranges.size(), threads);
      std::size_t at = 0;
      for (const auto& [begin, end] : ranges) {
        EXPECT_EQ(at, begin);
        EXPECT_LE(begin, end);
        at = end;
      }
      EXPECT_EQ(count, at);
    }
  }
}

TEST(StageClock, TimeGoesToTheStageThatWasEntered) {
  StageClock clock;
  EXPECT_EQ(Stage::kOther, clock.enter(Stage::kSha1));
  const std::uint64_t before = StageClock::ticks();
  while (StageClock::ticks() < before + 1000000) {
  }
  EXPECT_EQ(Stage::kSha1, clock.enter(Stage::kLinks));
  EXPECT_EQ(Stage::kLinks, clock.enter(Stage::kOther));
  const auto sums = clock.sums();
  EXPECT_GE(sums[static_cast<std::size_t>(Stage::kSha1)], 1000000u);
  EXPECT_EQ(0u, sums[static_cast<std::size_t>(Stage::kInflate)]);
}

TEST(StageClock, EveryStageHasAName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kStages; ++i) names.insert(stage_name(static_cast<Stage>(i)));
  EXPECT_EQ(kStages, names.size());
  EXPECT_EQ("waiting", stage_name(Stage::kWaiting));
}

}  // namespace
}  // namespace assay
