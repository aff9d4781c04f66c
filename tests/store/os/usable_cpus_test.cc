#include <gtest/gtest.h>
#include <sched.h>

#include "store/os/system.h"

namespace assay::os {
namespace {

TEST(UsableCpus, CountsThoseThatTheProcessMayRunOn) {
  cpu_set_t all;
  ASSERT_EQ(0, ::sched_getaffinity(0, sizeof all, &all));
  EXPECT_EQ(usable_cpus(), static_cast<unsigned>(CPU_COUNT(&all)));
  std::size_t first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(0, ::sched_setaffinity(0, sizeof one, &one));
  EXPECT_EQ(usable_cpus(), 1U);
  ASSERT_EQ(0, ::sched_setaffinity(0, sizeof all, &all));
}

}  // namespace
}  // namespace assay::os
