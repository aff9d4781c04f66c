#include "store/run/buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "tests/support/random.h"

namespace assay {
namespace {

using testing::Random;

TEST(Buffer, HoldsItsBytesAndTheSlackBehindThem) {
  ByteBudget budget(std::uint64_t{1} << 40);
  BufferPool pool(budget);
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 600; ++size) sizes.push_back(size);
  for (std::size_t power = 10; power < 25; ++power) {
    for (const std::size_t eighth : {8u, 9u, 10u, 12u, 14u, 15u}) {
      const std::size_t size = (std::size_t{1} << power) / 8 * eighth - Buffer::kSlack;
      sizes.insert(sizes.end(), {size - 1, size, size + 1});
    }
  }
  for (const std::size_t size : sizes) {
    BufferRef buffer = pool.make(size);
    ASSERT_EQ(size, buffer->size());
    EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(buffer->data()) % 64);
    std::memset(buffer->data(), 0x5a, size + Buffer::kSlack);  // for AddressSanitizer
    // Never much more than asked for.
    EXPECT_LE(budget.in_use(), std::max<std::size_t>(256, (size + Buffer::kSlack) * 5 / 4));
    pool.release(std::move(buffer));
    pool.trim();
    EXPECT_EQ(0u, budget.in_use());
  }
}

TEST(Buffer, MemoryIsUsedAgainLastInFirstOut) {
  ByteBudget budget(1 << 20);
  BufferPool pool(budget);
  BufferRef first = pool.make(1000);
  BufferRef second = pool.make(1000);
  const std::uint8_t* const first_data = first->data();
  const std::uint8_t* const second_data = second->data();
  const std::uint64_t in_use = budget.in_use();
  pool.release(std::move(first));
  pool.release(std::move(second));
  EXPECT_EQ(in_use, budget.in_use());
  BufferRef third = pool.make(990);
  EXPECT_EQ(second_data, third->data());
  EXPECT_EQ(990u, third->size());
  BufferRef fourth = pool.make(1000);
  EXPECT_EQ(first_data, fourth->data());
  EXPECT_EQ(in_use, budget.in_use());
  pool.release(std::move(third));
  pool.release(std::move(fourth));
}

TEST(Buffer, LivesAsLongAsItsLastReference) {
  ByteBudget budget(1 << 20);
  BufferPool pool(budget);
  BufferRef first = pool.make(100);
  BufferRef second = first.share();
  EXPECT_EQ(first->data(), second->data());
  std::memset(first->data(), 7, 100);
  pool.release(std::move(first));
  EXPECT_FALSE(first);
  BufferRef other = pool.make(100);
  EXPECT_NE(second->data(), other->data());
  EXPECT_EQ(7, second->data()[99]);
  pool.release(std::move(second));
  pool.release(std::move(other));
  pool.release(BufferRef());  // nothing
}

TEST(Buffer, TakesItsAttachmentAlong) {
  struct Counted : BufferAttachment {
    explicit Counted(int& alive) : alive_(alive) { ++alive_; }
    ~Counted() override { --alive_; }
    int& alive_;
  };
  int alive = 0;
  ByteBudget budget(1 << 20);
  BufferPool pool(budget);
  BufferRef buffer = pool.make(100);
  buffer->attachment = std::make_unique<Counted>(alive);
  BufferRef shared = buffer.share();
  pool.release(std::move(buffer));
  EXPECT_EQ(1, alive);
  pool.release(std::move(shared));
  EXPECT_EQ(0, alive);
  buffer = pool.make(100);
  EXPECT_EQ(nullptr, buffer->attachment);
  pool.release(std::move(buffer));
}

TEST(Buffer, FreeMemoryIsBounded) {
  ByteBudget budget(std::uint64_t{1} << 40);
  BufferPool pool(budget);
  std::vector<BufferRef> buffers;
  for (int i = 0; i < 30; ++i) buffers.push_back(pool.make(1 << 20));
  for (BufferRef& buffer : buffers) pool.release(std::move(buffer));
  EXPECT_LE(budget.in_use(), 8u << 20);
  EXPECT_GT(budget.in_use(), 0u);
  pool.release(pool.make(100 << 20));  // too large to be kept at all
  EXPECT_LE(budget.in_use(), 8u << 20);
  pool.trim();
  EXPECT_EQ(0u, budget.in_use());
}

TEST(Buffer, ThePoolOfAnotherThreadMayTakeIt) {
  ByteBudget budget(std::uint64_t{1} << 30);
  {
    BufferPool pool(budget);
    std::vector<BufferRef> buffers;
    for (int i = 0; i < 100; ++i) buffers.push_back(pool.make(1000));
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      std::vector<BufferRef> shares;
      for (const BufferRef& buffer : buffers) shares.push_back(buffer.share());
      threads.emplace_back([&budget, mine = std::move(shares)]() mutable {
        BufferPool own(budget);
        for (BufferRef& buffer : mine) own.release(std::move(buffer));
      });
    }
    for (BufferRef& buffer : buffers) pool.release(std::move(buffer));
  }
  EXPECT_EQ(0u, budget.in_use());
}

TEST(Buffer, AnImpossibleSizeThrows) {
  ByteBudget budget(1 << 20);
  BufferPool pool(budget);
  EXPECT_THROW(pool.make(~std::size_t{0}), std::bad_alloc);
  EXPECT_THROW(pool.make(~std::size_t{0} - Buffer::kSlack - 64), std::bad_alloc);
  EXPECT_THROW(pool.make(std::size_t{1} << 62), std::bad_alloc);
  EXPECT_EQ(0u, budget.in_use());
}

TEST(Buffer, RandomUse) {
  Random random(1);
  ByteBudget budget(std::uint64_t{1} << 40);
  BufferPool pool(budget);
  std::vector<std::pair<BufferRef, std::uint8_t>> live;
  for (int i = 0; i < 20000; ++i) {
    if (live.size() > 50 || (!live.empty() && random.one_in(2))) {
      const std::size_t at = random.below(live.size());
      const ByteView bytes = live[at].first->bytes();
      for (const std::size_t place : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
        ASSERT_EQ(live[at].second, bytes[place]);
      }
      pool.release(std::move(live[at].first));
      live[at].first = std::move(live.back().first);
      live[at].second = live.back().second;
      live.pop_back();
    } else {
      BufferRef buffer = pool.make(1 + random.below(random.one_in(10) ? 300000 : 2000));
      const auto fill = static_cast<std::uint8_t>(i);
      std::memset(buffer->data(), fill, buffer->size() + Buffer::kSlack);
      live.emplace_back(std::move(buffer), fill);
    }
  }
  for (auto& [buffer, fill] : live) pool.release(std::move(buffer));
}

TEST(ByteBudget, CountsAgainstItsLimit) {
  ByteBudget budget(100);
  EXPECT_EQ(100u, budget.limit());
  EXPECT_TRUE(budget.has_room(100));
  EXPECT_FALSE(budget.has_room(101));
  budget.take(60);
  EXPECT_FALSE(budget.has_room(41));
  EXPECT_TRUE(budget.has_room(40));
  EXPECT_FALSE(budget.has_room(~std::uint64_t{0}));
  budget.take(100);  // whoever takes more than there is has been allowed to
  EXPECT_FALSE(budget.has_room(0));
  budget.give_back(160);
  EXPECT_EQ(0u, budget.in_use());
}

using BufferDeathTest = ::testing::Test;

TEST(BufferDeathTest, AForgottenReferenceTraps) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ByteBudget budget(1 << 20);
        BufferPool pool(budget);
        const BufferRef forgotten = pool.make(10);
      },
      "");
}

}  // namespace
}  // namespace assay
