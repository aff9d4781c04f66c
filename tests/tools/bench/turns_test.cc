#include "tools/bench/turns.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::tools {
namespace {

// Work that the compiler cannot leave out.
void spin(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls * 2000; ++i) touch_memory(&i);
}

TEST(TurnsTest, EveryContestantHasATurnInEveryRound) {
  std::string order;
  std::vector<Contestant> contestants;
  for (const char letter : {'a', 'b', 'c'}) {
    contestants.push_back({std::string(1, letter), 10, 1, [&order, letter](std::uint64_t calls) {
                             order += letter;
                             spin(calls);
                           }});
  }
  const auto series = take_turns(contestants, {.rounds = 4, .seconds = 1e-4, .operations = 1});
  ASSERT_EQ(series.size(), 3u);
  for (std::size_t i = 0; i < series.size(); ++i) {
    EXPECT_EQ(series[i].name, contestants[i].name);
    EXPECT_EQ(series[i].bytes, 10);
    EXPECT_EQ(series[i].nanoseconds.size(), 4u);
    EXPECT_EQ(series[i].wall_seconds.size(), 4u);
    for (const double time : series[i].nanoseconds) EXPECT_TRUE(std::isfinite(time) && time > 0);
  }
  // What came before was to find out how long a call takes.
  ASSERT_GE(order.size(), 12u);
  EXPECT_EQ(order.substr(order.size() - 12), "abccbaabccba");
}

TEST(TurnsTest, OperationsAreCallsTimesTheirUnit) {
  std::uint64_t calls_seen = 0;
  Contestant contestant{"x", 0, 32, [&](std::uint64_t calls) {
                          calls_seen = calls;
                          spin(calls);
                        }};
  const auto series = take_turns({&contestant, 1}, {.rounds = 3, .seconds = 1e-4, .operations = 1});
  EXPECT_EQ(series[0].operations, 3 * 32 * calls_seen);
}

TEST(TurnsTest, ATurnHasTheFewestOperationsAskedFor) {
  std::uint64_t calls_seen = 0;
  Contestant contestant{"x", 0, 4, [&](std::uint64_t calls) {
                          calls_seen = calls;
                          spin(calls);
                        }};
  take_turns({&contestant, 1}, {.rounds = 1, .seconds = 1e-6, .operations = 10'001});
  EXPECT_GE(calls_seen * 4, 10'001u);
}

}  // namespace
}  // namespace assay::tools
