// What the resolver holds at once: never more than its budget, whatever the pack is made of.
#include "store/pack/delta_resolver.h"

#include <gtest/gtest.h>

#include "tests/support/failing_system.h"
#include "tests/support/random.h"
#include "tests/support/resolve_run.h"

namespace assay {
namespace {

using testing::DeltaWriter;
using testing::EntryName;
using testing::kMiB;
using testing::OpenedPack;
using testing::Outcome;
using testing::PackBuilder;
using testing::Recorder;
using testing::resolve;
using testing::RunOptions;

// Contents of this size that deflate to nearly nothing.
Bytes plain(std::size_t size, unsigned which) {
  Bytes content(size);
  for (std::size_t i = 0; i < 4 && i < size; ++i)
    content[i] = static_cast<std::uint8_t>(which >> (8 * i));
  return content;
}

TEST(DeltaResolver, AnObjectLargerThanTheBudgetIsNotChecked) {
  PackBuilder builder;
  builder.add(ObjectType::kTree, plain(5 * kMiB, 1));
  builder.add(ObjectType::kTree, plain(3 * kMiB, 2));
  builder.add_offset_delta(1, plain(3 * kMiB, 3));  // base and result do not fit together
  builder.add(ObjectType::kTree, plain(100, 4));
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.budget = 4 * kMiB;
  const Outcome outcome = resolve(opened, options);
  EXPECT_EQ(2, outcome.copies());
  for (const std::uint32_t i : {0u, 2u}) {
    ASSERT_EQ(1u, outcome.faults.count({0, i})) << i;
    EXPECT_NE(std::string::npos,
              outcome.faults.at({0, i})[0].causes.back().find("more than the memory limit"));
  }
}

TEST(DeltaResolver, BuffersKeptForLaterAreAskedForWhenMemoryIsShort) {
  PackBuilder builder;
  for (unsigned i = 0; i < 50; ++i) builder.add(ObjectType::kTree, plain(2 * kMiB, i));
  const OpenedPack opened(builder.build());
  for (const unsigned workers : {1u, 3u}) {
    RunOptions options;
    options.workers = workers;
    options.budget = 16 * kMiB;
    options.keep = 1000;
    const Outcome outcome = resolve(opened, options);
    EXPECT_EQ(50, outcome.copies());
    EXPECT_GT(outcome.pressures, 0);
    // Each worker may be seen to have room before any of them has taken it.
    EXPECT_LT(outcome.peak, (16 + 3 * workers) * kMiB);
  }
}

TEST(DeltaResolver, ABombIsStoppedByTheBudget) {
  // Each entry is its base four times over: 1 MiB, 4, 16, 64, ... all from a few bytes.
  PackBuilder builder;
  builder.add(ObjectType::kTree, plain(kMiB, 1));
  std::uint64_t size = kMiB;
  for (std::size_t i = 0; i < 10; ++i) {
    DeltaWriter delta(size, 4 * size);
    for (std::uint64_t done = 0; done < 4 * size; done += 0x10000) {
      delta.copy(static_cast<std::uint32_t>(done % size), 0);
    }
    builder.add_offset_delta(i, plain(1, static_cast<unsigned>(i)), delta.bytes());
    size *= 4;
    if (i == 5) break;
  }
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.budget = 32 * kMiB;
  const Outcome outcome = resolve(opened, options);
  EXPECT_EQ(3, outcome.copies());  // 1, 4 and 16 MiB; 64 are too many
  EXPECT_EQ(1u, outcome.faults.size());
  EXPECT_LT(outcome.peak, 33 * kMiB);
}

TEST(DeltaResolver, ALargeDeltaProgramCountsAsMemory) {
  // Instructions of 8 MB that give one byte each, against a budget of 10 MB.
  PackBuilder builder;
  builder.add(ObjectType::kTree, plain(2 * kMiB, 1));
  DeltaWriter delta(2 * kMiB, 4 * kMiB);
  for (std::size_t i = 0; i < 4 * kMiB; ++i) delta.raw(1).raw('x');
  builder.add_offset_delta(0, Bytes(4 * kMiB, 'x'), delta.bytes());
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.budget = 10 * kMiB;  // 2 + 8 + 4 do not fit
  EXPECT_EQ(1u, resolve(opened, options).faults.size());
  options.budget = 16 * kMiB;
  const Outcome outcome = resolve(opened, options);
  EXPECT_EQ(2, outcome.copies());
  EXPECT_GE(outcome.peak, 14 * kMiB);
}

TEST(DeltaResolver, ABushOfLargeObjectsStaysWithinTheBudget) {
  // Every entry has two children of the same weight: depth first, a path from the root to a leaf
  // holds one base for each level.
  PackBuilder builder;
  builder.add(ObjectType::kTree, plain(2 * kMiB, 1));
  for (std::size_t i = 0; i < 127; ++i) {
    builder.add_offset_delta(i / 2, plain(2 * kMiB, static_cast<unsigned>(i) + 2));
  }
  const OpenedPack opened(builder.build());
  for (const unsigned workers : {1u, 3u}) {
    RunOptions options;
    options.workers = workers;
    options.budget = 8 * kMiB;
    options.after = [&](DeltaResolver&, Recorder& recorder, BufferPool&, StageClock&) {
      EXPECT_TRUE(recorder.outcome.faults.empty());
    };
    const Outcome outcome = resolve(opened, options);
    EXPECT_TRUE(outcome.faults.empty());
    // Each worker may be seen to have room before any has taken it (2 MiB take up to 2.5), and one
    // goes beyond the budget with a base and what is made from it.
    EXPECT_LT(outcome.peak, (8 + 3 * workers + 6) * kMiB);
    // What had to wait was parked, everything else was given.
    for (const auto& [name, seen] : outcome.entries) EXPECT_EQ(1, seen.times);
    std::size_t below_parked = 0;
    for (const EntryName& parked : outcome.parked) {
      std::vector<std::uint32_t> open{parked.second};
      while (!open.empty()) {
        const std::uint32_t entry = open.back();
        open.pop_back();
        ++below_parked;
        EXPECT_EQ(0u, outcome.entries.count({0, entry}));
        for (const std::uint32_t child : opened.forest().children({entry})) open.push_back(child);
      }
    }
    EXPECT_EQ(128u, outcome.entries.size() + below_parked);
  }
}

// A blob beyond the budget, deltas of it and of these, and small ones: all are made in files.
PackBuilder large_blobs() {
  PackBuilder builder;
  testing::Random random(7);
  Bytes content(5 * kMiB);
  for (std::uint8_t& byte : content) byte = static_cast<std::uint8_t>(random.below(4));
  const auto changed = [&](std::size_t at) {
    content[at] ^= 0x55;
    return content;
  };
  builder.add(ObjectType::kBlob, content);
  builder.add_offset_delta(0, changed(100));
  builder.add_offset_delta(1, changed(3 * kMiB));
  const Bytes little(content.begin(), content.begin() + 1000);
  builder.add_offset_delta(2, little);
  builder.add_offset_delta(3, Bytes(little.begin() + 1, little.end()));
  builder.add_offset_delta(1, changed(4 * kMiB));
  builder.add(ObjectType::kBlob, plain(100, 4));
  return builder;
}

TEST(DeltaResolver, BlobsBeyondTheBudgetAreMadeInFiles) {
  const PackBuilder builder = large_blobs();
  const OpenedPack opened(builder.build());
  for (const unsigned workers : {1u, 3u}) {
    SpillSpace spill(os::System::real(), ::testing::TempDir(), 64 * kMiB);
    RunOptions options;
    options.workers = workers;
    options.budget = 4 * kMiB;
    options.spill = &spill;
    const Outcome outcome = resolve(opened, options);
    EXPECT_TRUE(outcome.faults.empty());
    EXPECT_TRUE(outcome.parked.empty());
    testing::expect_all_of(builder, outcome);
    for (const std::uint32_t i : {0u, 1u, 2u, 5u}) EXPECT_TRUE(outcome.entries.at({0, i}).large);
    EXPECT_FALSE(outcome.entries.at({0, 3}).large);
    EXPECT_LT(outcome.peak, 4 * kMiB);
  }
}

TEST(DeltaResolver, WithoutRoomForAFileABlobIsNotChecked) {
  const OpenedPack opened(large_blobs().build());
  const auto reason = [&](SpillSpace& spill) {
    RunOptions options;
    options.budget = 4 * kMiB;
    options.spill = &spill;
    const Outcome outcome = resolve(opened, options);
    EXPECT_EQ(1, outcome.copies());
    EXPECT_EQ((std::vector<EntryName>{{0, 1}}), outcome.parked);
    EXPECT_EQ(1u, outcome.faults.count({0, 0}));
    return outcome.faults.at({0, 0})[0].causes.back();
  };
  testing::FailingSystem full;
  full.fail_all("map_new", ENOSPC);
  SpillSpace no_room(full, ::testing::TempDir(), 64 * kMiB);
  EXPECT_NE(std::string::npos, reason(no_room).find("No space left on device"));
  SpillSpace missing(os::System::real(), "/nonexistent", 64 * kMiB);
  EXPECT_NE(std::string::npos, reason(missing).find("no room for 5242880 bytes in /nonexistent"));
  SpillSpace little(os::System::real(), ::testing::TempDir(), kMiB);
  EXPECT_NE(std::string::npos, reason(little).find("more than may be set aside"));
}

// What lies is refused as it is in memory, and nothing is set aside for it.
TEST(DeltaResolver, LargeBlobsThatLieAreFaults) {
  const auto fault_of = [](const PackBuilder& builder, std::uint32_t entry) {
    const OpenedPack opened(builder.build());
    SpillSpace spill(os::System::real(), ::testing::TempDir(), 64 * kMiB);
    RunOptions options;
    options.budget = 4 * kMiB;
    options.spill = &spill;
    const Outcome outcome = resolve(opened, options);
    const auto found = outcome.faults.find({0, entry});
    return found == outcome.faults.end() ? "" : found->second[0].causes.back();
  };
  PackBuilder builder = large_blobs();
  builder.entry(0).declared_size = 5 * kMiB - 1;
  EXPECT_EQ("inflate: stream is longer than declared", fault_of(builder, 0));
  builder.entry(0).declared_size = 5 * kMiB + 1;
  EXPECT_EQ("inflate: stream is shorter than declared", fault_of(builder, 0));
  builder = large_blobs();
  builder.entry(0).stream = testing::zlib_stream(builder.entry(0).content);
  builder.entry(0).stream->resize(builder.entry(0).stream->size() - 5);
  EXPECT_NE("", fault_of(builder, 0));
  for (const bool beyond : {false, true}) {
    builder = large_blobs();
    DeltaWriter delta(5 * kMiB, 6 * kMiB);
    delta.copy(0, 0xffffff).copy(beyond ? 5 * kMiB : 0, 100);
    builder.entry(1).payload = delta.bytes();
    EXPECT_EQ("failed to apply delta", fault_of(builder, 1));
  }
}

}  // namespace
}  // namespace assay
