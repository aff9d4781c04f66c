// The lane engine, on every kernel, with and without detection.

#include "sha1/batch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/sha1/support.h"

namespace assay::sha1 {
namespace {

// A job with a body in memory of its own.
struct Message {
  Job job;
  Bytes body;
  Digest expected;
  bool returned = false;
};

class BatchTest : public PerKernel {
 protected:
  Message& add(std::size_t header_size, std::size_t body_size, Random& random) {
    auto message = std::make_unique<Message>();
    message->body = random.bytes(body_size);
    for (std::size_t i = 0; i < header_size; ++i) {
      message->job.header[i] = static_cast<std::uint8_t>(random.next());
    }
    message->job.header_size = static_cast<std::uint8_t>(header_size);
    message->job.body = message->body.data();
    message->job.body_size = body_size;
    Bytes whole(message->job.header.begin(), message->job.header.begin() + header_size);
    whole.insert(whole.end(), message->body.begin(), message->body.end());
    message->expected = reference_sha1(whole);
    messages_.push_back(std::move(message));
    return *messages_.back();
  }

  // Takes what is finished, and spoils it: nothing may read it any more.
  void collect(Batch& batch) {
    while (Job* job = batch.poll()) {
      const auto found = std::find_if(messages_.begin(), messages_.end(),
                                      [job](const auto& message) { return &message->job == job; });
      ASSERT_NE(found, messages_.end());
      Message& message = **found;
      EXPECT_FALSE(message.returned);
      message.returned = true;
      EXPECT_EQ(to_hex(job->digest), to_hex(message.expected))
          << int{job->header_size} << " + " << job->body_size;
      EXPECT_FALSE(job->collision);
      std::fill(message.body.begin(), message.body.end(), std::uint8_t{0xdd});
      message.body.clear();
      message.body.shrink_to_fit();
      std::memset(static_cast<void*>(&message.job), 0xdd, sizeof message.job);
    }
  }

  void finish(Batch& batch) {
    batch.finish();
    collect(batch);
    EXPECT_EQ(batch.pending(), 0U);
    EXPECT_EQ(batch.pending_bytes(), 0U);
    for (const auto& message : messages_) EXPECT_TRUE(message->returned);
    messages_.clear();
  }

  void hash_all(Batch& batch) {
    for (const auto& message : messages_) {
      batch.submit(&message->job);
      collect(batch);
    }
    finish(batch);
  }

  std::vector<std::unique_ptr<Message>> messages_;
};
// Rows for comparison have no lanes: the engine does with them what it does with "portable".
INSTANTIATE_TEST_SUITE_P(All, BatchTest, ::testing::ValuesIn(choosable_kernel_names()),
                         kernel_test_name);

constexpr Detect kBoth[] = {Detect::kOff, Detect::kOn};

TEST_P(BatchTest, EmptyBatch) {
  for (const Detect detect : kBoth) {
    Batch batch(kernels(), detect);
    EXPECT_EQ(batch.poll(), nullptr);
    batch.run();
    batch.finish();
    EXPECT_EQ(batch.poll(), nullptr);
    EXPECT_EQ(batch.pending(), 0U);
    EXPECT_EQ(batch.kernel_name(), kernels().name);
    EXPECT_EQ(batch.detecting(), detect == Detect::kOn);
  }
}

TEST_P(BatchTest, EveryShortLengthWithEveryHeader) {
  Random random(3);
  for (const Detect detect : kBoth) {
    Batch batch(kernels(), detect);
    for (std::size_t size = 0; size <= 200; ++size) add(0, size, random);
    for (std::size_t header = 0; header <= 32; ++header) {
      for (std::size_t size = 20; size <= 140; size += 3) add(header, size + header % 3, random);
    }
    hash_all(batch);
  }
}

TEST_P(BatchTest, LengthsAroundEveryBlockBoundary) {
  Random random(4);
  Batch batch(kernels());
  for (std::size_t boundary = 64; boundary <= 4096; boundary += 64) {
    for (const int off : {-9, -8, -1, 0, 1}) {
      add(random.below(33), boundary + off, random);
      add(0, boundary + off, random);
    }
  }
  hash_all(batch);
}

// Between one job and more than two fills of the lanes.
TEST_P(BatchTest, UnevenCounts) {
  Random random(5);
  for (const Detect detect : kBoth) {
    for (std::size_t count = 1; count <= 35; ++count) {
      Batch batch(kernels(), detect);
      for (std::size_t i = 0; i < count; ++i) add(11, random.below(900), random);
      hash_all(batch);
    }
  }
}

TEST_P(BatchTest, RandomMixesOfSizes) {
  Random random(6);
  for (const Detect detect : kBoth) {
    for (int round = 0; round < 4; ++round) {
      Batch batch(kernels(), detect);
      for (int i = 0; i < 400; ++i) {
        const std::uint64_t kind = random.below(20);
        const std::size_t size = kind < 10   ? random.below(300)
                                 : kind < 18 ? random.below(4000)
                                 : kind < 19 ? random.below(40000)
                                             : random.below(400000);
        add(random.below(33), size, random);
        if (random.below(50) == 0) batch.run();
        batch.submit(&messages_.back()->job);
        if (random.below(3) == 0) collect(batch);
      }
      finish(batch);
    }
  }
}

// More than have a place are done before anybody polls; some are taken in between.
TEST_P(BatchTest, KeepsAllThatIsDoneUntilPolled) {
  Random random(13);
  for (const Detect detect : kBoth) {
    Batch batch(kernels(), detect);
    std::size_t bytes = 0;
    for (int i = 0; i < 1500; ++i) {
      const std::size_t size = random.below(100);
      batch.submit(&add(random.below(33), size, random).job);
      bytes += size;
      if (i == 700) {
        EXPECT_EQ(batch.pending(), 701U);
        EXPECT_EQ(batch.pending_bytes(), bytes);
        collect(batch);
        EXPECT_LT(batch.pending(), 200U);
      }
    }
    batch.finish();
    finish(batch);
  }
}

TEST_P(BatchTest, IsReusableAfterFinish) {
  Random random(7);
  Batch batch(kernels());
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 40; ++i) add(5, random.below(2000), random);
    hash_all(batch);
  }
}

// A body that ends at a page that may not be read, and one that begins right behind such a page,
// and memory that is gone when the job has come back.
TEST_P(BatchTest, ReadsTheBodyOnlyAndNotAfterItsReturn) {
  Random random(8);
  for (const Detect detect : kBoth) {
    Batch batch(kernels(), detect);
    struct Guarded {
      Job job;
      std::unique_ptr<GuardedBuffer> buffer;
      Digest expected;
    };
    std::vector<std::unique_ptr<Guarded>> jobs;
    std::size_t returned = 0;
    const auto take = [&] {
      while (Job* job = batch.poll()) {
        const auto found =
            std::find_if(jobs.begin(), jobs.end(), [job](const auto& g) { return &g->job == job; });
        ASSERT_NE(found, jobs.end());
        EXPECT_EQ(to_hex(job->digest), to_hex((*found)->expected));
        (*found)->buffer.reset();
        ++returned;
      }
    };
    for (int i = 0; i < 300; ++i) {
      auto guarded = std::make_unique<Guarded>();
      const std::size_t size = random.below(i % 10 == 0 ? 20000 : 1500);
      guarded->buffer = std::make_unique<GuardedBuffer>(size + 1);
      const auto body =
          i % 2 == 0 ? guarded->buffer->at_end(size) : guarded->buffer->at_start(size);
      for (std::uint8_t& byte : body) byte = static_cast<std::uint8_t>(random.next());
      guarded->job.body = body.data();
      guarded->job.body_size = size;
      guarded->expected = reference_sha1(body);
      jobs.push_back(std::move(guarded));
      batch.submit(&jobs.back()->job);
      take();
    }
    batch.finish();
    take();
    EXPECT_EQ(returned, jobs.size());
  }
}

TEST_P(BatchTest, BackgroundJobsTakePartWithoutCounting) {
  Random random(9);
  for (const Detect detect : kBoth) {
    Batch batch(kernels(), detect);
    Message& stream = add(0, 3000000, random);
    stream.job.background = true;
    batch.submit(&stream.job);
    EXPECT_EQ(batch.poll(), nullptr);
    for (int i = 0; i < 500; ++i) {
      Message& message = add(7, random.below(1000), random);
      batch.submit(&message.job);
      collect(batch);
    }
    finish(batch);
  }
}

TEST_P(BatchTest, RunsByItselfWhenEnoughWaits) {
  Random random(10);
  Batch batch(kernels());
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    Message& message = add(9, 100, random);
    batch.submit(&message.job);
    collect(batch);
    most = std::max(most, batch.pending());
  }
  EXPECT_LT(most, 400U);
  // One large body is enough to run, so that not many of them pile up.
  for (int i = 0; i < 40; ++i) {
    Message& message = add(9, 300000, random);
    batch.submit(&message.job);
    collect(batch);
    EXPECT_LT(batch.pending_bytes(), 20U * 300000);
  }
  finish(batch);
}

// Rows that the lane kernels below were asked for.
std::size_t lane_rows = 0;
const Kernels* counted_kernels = nullptr;

void count_rows(LaneState& state, const std::uint8_t* const blocks[kMaxLanes], std::size_t rows) {
  lane_rows += rows;
  counted_kernels->compress_lanes(state, blocks, rows);
}

void count_logged_rows(LaneState& state, const std::uint8_t* const blocks[kMaxLanes],
                       std::size_t rows, collision::LaneLog& log) {
  lane_rows += rows;
  counted_kernels->compress_lanes_logging(state, blocks, rows, log);
}

// A row of lanes costs the same whatever its occupancy: with fewer live lanes than pay, the rest of
// each message is hashed alone, from where its lane is.
TEST_P(BatchTest, EndsTheLastLanesOneByOne) {
  if (kernels().lanes == 0) return;
  Random random(11);
  counted_kernels = &kernels();
  Kernels counting = kernels();
  counting.compress_lanes = count_rows;
  counting.compress_lanes_logging = count_logged_rows;
  const unsigned worthwhile = kernels().worthwhile_lanes;
  for (const Detect detect : kBoth) {
    for (unsigned count = 1; count <= kernels().lanes; ++count) {
      lane_rows = 0;
      Batch batch(counting, detect);
      for (unsigned i = 0; i < count; ++i) add(0, 10 * kBlockSize - 9, random);
      hash_all(batch);
      EXPECT_EQ(lane_rows, count < worthwhile ? 0U : 10U) << count << " messages";
    }
    // Long messages beside short ones: from the end of the short ones on they are too few.
    lane_rows = 0;
    Batch batch(counting, detect);
    for (unsigned i = 0; i < kernels().lanes; ++i) {
      add(0, (i + 1 < worthwhile ? 30 : 4) * kBlockSize - 9, random);
    }
    hash_all(batch);
    EXPECT_EQ(lane_rows, 4U);
  }
}

TEST(BatchLongTest, CountsPastFourGigabytes) {
  // The pages of this mapping are all the one zero page; only address space is needed.
  constexpr std::uint64_t kSize = (std::uint64_t{1} << 32) + 200;
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "takes half an hour under ThreadSanitizer, and is one thread";
#endif
  if (sizeof(std::size_t) < 8) GTEST_SKIP() << "address space too small";
  if (best().lanes < 16) GTEST_SKIP() << "too slow without a fast kernel";
  void* map = mmap(nullptr, static_cast<std::size_t>(kSize), PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) GTEST_SKIP() << "no address space";
  Batch batch(best(), Detect::kOff);
  Job job;
  job.body = static_cast<const std::uint8_t*>(map);
  job.body_size = kSize;
  batch.submit(&job);
  batch.finish();
  EXPECT_EQ(batch.poll(), &job);
  EXPECT_EQ(to_hex(job.digest),
            "1315fddd0970f25082ac0f7f85b63589a09d1c8d");  // head -c 4294967496 /dev/zero | sha1sum
  munmap(map, static_cast<std::size_t>(kSize));
}

}  // namespace
}  // namespace assay::sha1
