#include "store/pack/delta_resolver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "tests/support/random.h"
#include "tests/support/resolve_run.h"

namespace assay {
namespace {

using testing::BuiltPack;
using testing::DeltaWriter;
using testing::EntryName;
using testing::expect_all_of;
using testing::kMiB;
using testing::OpenedPack;
using testing::Outcome;
using testing::PackBuilder;
using testing::Random;
using testing::Recorder;
using testing::resolve;
using testing::RunOptions;
using testing::text;

PackBuilder random_pack(Random& random, std::uint32_t count) {
  PackBuilder builder;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || random.one_in(15)) {
      builder.add(random.one_in(3) ? ObjectType::kBlob : ObjectType::kTree,
                  random.bytes(random.below(800)));
      continue;
    }
    const auto base = static_cast<std::size_t>(
        random.one_in(3) ? random.below(i) : i - 1 - random.below(std::min(i, 20u)));
    Bytes content = builder.entry(base).content;
    const Bytes more = random.bytes(1 + random.below(30));
    content.insert(content.begin() + static_cast<std::ptrdiff_t>(random.below(content.size() + 1)),
                   more.begin(), more.end());
    if (random.one_in(3)) {
      builder.add_ref_delta(base, content);
    } else {
      builder.add_offset_delta(base, content);
    }
  }
  return builder;
}

TEST(DeltaResolver, EachEntryIsGivenOnceByAnyNumberOfWorkers) {
  Random random(1);
  const PackBuilder first = random_pack(random, 1500);
  const PackBuilder second = random_pack(random, 400);
  const OpenedPack first_pack(first.build());
  const OpenedPack second_pack(second.build());
  const OpenedPack empty(PackBuilder().build());
  for (const unsigned workers : {1u, 2u, 3u, 8u}) {
    RunOptions options;
    options.workers = workers;
    options.keep = 50;
    const Outcome outcome = resolve({&first_pack, &empty, &second_pack}, options);
    expect_all_of(first, outcome, 0);
    expect_all_of(second, outcome, 2);
    EXPECT_EQ(1900, outcome.copies());
    EXPECT_TRUE(outcome.faults.empty());
    EXPECT_TRUE(outcome.parked.empty());
  }
}

TEST(DeltaResolver, NothingToDoEnds) {
  const OpenedPack empty(PackBuilder().build());
  RunOptions options;
  options.workers = 4;
  EXPECT_EQ(0, resolve(empty, options).copies());
  EXPECT_EQ(0, resolve(std::vector<const OpenedPack*>{}, options).copies());
}

TEST(DeltaResolver, ADeepChainHoldsFewBuffers) {
  constexpr std::size_t kDepth = 5000;
  PackBuilder builder;
  Bytes content = Random(2).bytes(2000);
  builder.add(ObjectType::kBlob, content);
  for (std::size_t i = 1; i < kDepth; ++i) {
    content[i % content.size()] = static_cast<std::uint8_t>(content[i % content.size()] + 1);
    builder.add_offset_delta(i - 1, content);
  }
  const OpenedPack opened(builder.build());
  const Outcome outcome = resolve(opened);
  expect_all_of(builder, outcome);
  EXPECT_LT(outcome.peak, 40000u);  // of the 10 MB that all would take
}

TEST(DeltaResolver, ACombHoldsFewBuffers) {
  // Each entry of a chain has two leaves besides: those go first, so the chain is not kept.
  PackBuilder builder;
  Bytes content = Random(3).bytes(2000);
  std::size_t last = builder.add(ObjectType::kBlob, content);
  for (int i = 0; i < 500; ++i) {
    const std::size_t base = last;
    for (int child = 0; child < 3; ++child) {
      content[static_cast<std::size_t>(3 * i + child)] ^= 0x55;
      last = builder.add_offset_delta(base, content);
    }
  }
  const OpenedPack opened(builder.build());
  const Outcome outcome = resolve(opened);
  expect_all_of(builder, outcome);
  EXPECT_LT(outcome.peak, 40000u);
}

TEST(DeltaResolver, AWideFamily) {
  PackBuilder builder;
  const Bytes base = Random(4).bytes(1000);
  builder.add(ObjectType::kTree, base);
  for (int i = 0; i < 3000; ++i) {
    Bytes content = base;
    content.push_back(static_cast<std::uint8_t>(i));
    content.push_back(static_cast<std::uint8_t>(i >> 8));
    builder.add_offset_delta(0, content);
  }
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.workers = 3;
  const Outcome outcome = resolve(opened, options);
  expect_all_of(builder, outcome);
  EXPECT_LT(outcome.peak, 40000u);
}

TEST(DeltaResolver, OneLargeFamilyIsSharedOut) {
  // A root, 40 children, 40 grandchildren each: one family, so only donations reach others.
  PackBuilder builder;
  const Bytes base = text("the base of a large family");
  builder.add(ObjectType::kBlob, base);
  for (int i = 0; i < 40; ++i) {
    Bytes child = base;
    child.push_back(static_cast<std::uint8_t>(i));
    const std::size_t number = builder.add_offset_delta(0, child);
    for (int j = 0; j < 40; ++j) {
      Bytes grandchild = child;
      grandchild.push_back(static_cast<std::uint8_t>(j));
      builder.add_offset_delta(number, grandchild);
    }
  }
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.workers = 4;
  std::atomic<unsigned> busy{0};
  options.each = [&](unsigned, std::size_t count) {
    if (count == 1) ++busy;
    // Slow until everyone has had something: the others may still be on their way.
    if (busy.load() < 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const Outcome outcome = resolve(opened, options);
  expect_all_of(builder, outcome);
  EXPECT_EQ(1641, outcome.copies());
  for (const std::size_t count : outcome.entries_of_worker) EXPECT_GT(count, 0u);
}

TEST(DeltaResolver, LargeBlobsThatAreNobodysBaseAreStreamed) {
  Random random(5);
  PackBuilder builder;
  const Bytes large = random.bytes(300000);
  Bytes small_change = large;
  small_change[1234] ^= 1;
  const std::size_t leaf = builder.add(ObjectType::kBlob, random.bytes(200000));
  const std::size_t base = builder.add(ObjectType::kBlob, large);
  const std::size_t delta = builder.add_offset_delta(base, small_change);
  const std::size_t tree = builder.add(ObjectType::kTree, random.bytes(200000));
  const std::size_t small = builder.add(ObjectType::kBlob, random.bytes(99999));
  const std::size_t exact = builder.add(ObjectType::kBlob, random.bytes(100000));
  const std::size_t cut = builder.add_offset_delta(base, {large.data(), 99999});
  RunOptions options;
  options.limits.stream_from = 100000;
  const OpenedPack opened(builder.build());
  const Outcome outcome = resolve(opened, options);
  expect_all_of(builder, outcome);
  const auto large_ones = [&](std::size_t number) {
    return outcome.entries.at({0, static_cast<std::uint32_t>(number)}).large;
  };
  EXPECT_TRUE(large_ones(leaf));
  EXPECT_TRUE(large_ones(delta));
  EXPECT_TRUE(large_ones(exact));
  EXPECT_FALSE(large_ones(base));
  EXPECT_FALSE(large_ones(tree));
  EXPECT_FALSE(large_ones(small));
  EXPECT_FALSE(large_ones(cut));
  EXPECT_TRUE(outcome.faults.empty());
}

TEST(DeltaResolver, DamagedLargeBlobsAreNotComplete) {
  Random random(6);
  const Bytes content = random.bytes(200000);
  const Bytes stream = testing::zlib_stream(content);
  Bytes damaged = stream;
  damaged[damaged.size() / 2] ^= 0x10;
  damaged.back() ^= 1;
  PackBuilder builder;
  for (int i = 0; i < 6; ++i) builder.add(ObjectType::kBlob, content);
  builder.entry(0).stream = damaged;
  builder.entry(1).stream = Bytes(stream.begin(), stream.begin() + 100000);
  builder.entry(2).declared_size = 200001;
  builder.entry(3).declared_size = 199999;
  const std::size_t wild = builder.add_offset_delta(
      5, content, DeltaWriter(200000, 200000).copy(1, 0xffff).copy(199000, 1001).bytes());
  RunOptions options;
  options.limits.stream_from = 100000;
  const OpenedPack opened(builder.build());
  const Outcome outcome = resolve(opened, options);
  const std::string words[] = {
      "inflate: data stream error (incorrect data check)", "inflate: stream ends too early",
      "inflate: stream is shorter than declared", "inflate: stream is longer than declared"};
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_EQ(1u, outcome.faults.count({0, i})) << i;
    EXPECT_FALSE(outcome.entries.at({0, i}).complete) << i;
    const Fault& fault = outcome.faults.at({0, i}).back();
    EXPECT_EQ(MessageId::kEntryUnpackable, fault.id);
    ASSERT_FALSE(fault.causes.empty());
    EXPECT_EQ(words[i], fault.causes.back());
  }
  EXPECT_EQ(0u, outcome.faults.count({0, 4}));
  EXPECT_TRUE(outcome.entries.at({0, 4}).complete);
  // The instructions of a delta are looked at before anything is given.
  EXPECT_EQ(0u, outcome.entries.count({0, static_cast<std::uint32_t>(wild)}));
  EXPECT_EQ(1u, outcome.faults.count({0, static_cast<std::uint32_t>(wild)}));
}

// Entry 1 of a family is damaged: 0 <- 1 <- 2 <- 3, 0 <- 4.
PackBuilder damaged_family() {
  PackBuilder builder;
  builder.add_blob("the base");
  builder.add_offset_delta(0, text("the base 1"));
  builder.add_offset_delta(1, text("the base 1 2"));
  builder.add_offset_delta(2, text("the base 1 2 3"));
  builder.add_offset_delta(0, text("the base 4"));
  return builder;
}

void expect_one_bad_entry(const Outcome& outcome) {
  EXPECT_EQ(2, outcome.copies());
  EXPECT_EQ(1u, outcome.entries.count({0, 0}));
  EXPECT_EQ(1u, outcome.entries.count({0, 4}));
  ASSERT_EQ(1u, outcome.faults.size());
  EXPECT_EQ(1u, outcome.faults.count({0, 1}));
  EXPECT_EQ((std::vector<EntryName>{{0, 2}}), outcome.parked);
}

TEST(DeltaResolver, BelowABadEntryItsChildrenAreParked) {
  PackBuilder builder = damaged_family();
  Bytes stream = testing::zlib_stream(builder.entry(1).payload);
  stream.back() ^= 1;
  builder.entry(1).stream = stream;
  const OpenedPack opened(builder.build());
  const Outcome outcome = resolve(opened);
  expect_one_bad_entry(outcome);
  const Fault& fault = outcome.faults.at({0, 1})[0];
  EXPECT_EQ(MessageId::kEntryUnpackable, fault.id);
  const std::string offset = std::to_string(opened.forest().offset({1}).value);
  EXPECT_EQ("cannot unpack " + builder.entry(1).id.hex() + " from p.pack at offset " + offset,
            fault.text);
  // The stream begins behind the header, which git counts.
  const PackOffset entry = opened.forest().offset({1});
  const std::string stream_offset =
      std::to_string(entry.value + opened.pack().entry_header(entry)->header_size);
  EXPECT_EQ((std::vector<std::string>{
                "inflate: data stream error (incorrect data check)",
                "failed to unpack compressed delta at offset " + stream_offset + " from p.pack"}),
            fault.causes);
}

TEST(DeltaResolver, DeltasThatLieAreFaults) {
  const std::vector<std::pair<const char*, Bytes>> deltas = {
      {"other base size", DeltaWriter(9, 10).copy(0, 8).insert(text(" 1")).bytes()},
      {"result too short", DeltaWriter(8, 11).copy(0, 8).insert(text(" 1")).bytes()},
      {"result too long", DeltaWriter(8, 9).copy(0, 8).insert(text(" 1")).bytes()},
      {"copy behind the base", DeltaWriter(8, 10).copy(1, 8).insert(text(" 1")).bytes()},
      {"reserved instruction", DeltaWriter(8, 10).copy(0, 8).raw(0).insert(text(" 1")).bytes()},
      {"a bomb", DeltaWriter(8, std::uint64_t{1} << 40).copy(0, 8).bytes()},
      {"a larger bomb", DeltaWriter(8, ~std::uint64_t{0}).copy(0, 8).bytes()},
      {"no program", DeltaWriter(8, 10).bytes()},
      {"nothing at all", {}}};
  for (const auto& [what, delta] : deltas) {
    SCOPED_TRACE(what);
    PackBuilder builder = damaged_family();
    builder.entry(1).payload = delta;
    const OpenedPack opened(builder.build());
    const Outcome outcome = resolve(opened);
    expect_one_bad_entry(outcome);
    EXPECT_EQ("failed to apply delta", outcome.faults.at({0, 1})[0].causes.back());
  }
}

TEST(DeltaResolver, DeclaredSizesThatCannotBeAreNotBelieved) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 40, std::uint64_t{1} << 62}) {
    PackBuilder builder = damaged_family();
    builder.entry(1).declared_size = size;
    const OpenedPack opened(builder.build());
    const Outcome outcome = resolve(opened);
    expect_one_bad_entry(outcome);
    EXPECT_LT(outcome.peak, kMiB);
    EXPECT_NE(std::string::npos, outcome.faults.at({0, 1})[0].causes.back().find("declared size"));
  }
}

TEST(DeltaResolver, AWrongCrcIsAFaultThatStopsNothing) {
  PackBuilder builder = damaged_family();
  builder.entry(1).index_crc = 0;
  const OpenedPack opened(builder.build());
  const Outcome outcome = resolve(opened);
  expect_all_of(builder, outcome);
  ASSERT_EQ(1u, outcome.faults.size());
  const Fault& fault = outcome.faults.at({0, 1})[0];
  EXPECT_EQ(MessageId::kEntryCrcMismatch, fault.id);
  EXPECT_EQ("index CRC mismatch for object " + builder.entry(1).id.hex() +
                " from p.pack at offset " + std::to_string(opened.forest().offset({1}).value),
            fault.text);
  builder.index_version = 1;  // has no CRC
  EXPECT_TRUE(resolve(OpenedPack(builder.build())).faults.empty());
}

TEST(DeltaResolver, BytesThatBelongToNoEntryAreReportedAndStopNothing) {
  PackBuilder builder = damaged_family();
  for (const std::size_t i : {0u, 1u, 4u}) builder.entry(i).gap = text("gap");
  const BuiltPack built = builder.build();
  const OpenedPack opened(built);
  RunOptions options;
  for (const std::uint64_t stream_from : {std::uint64_t{1} << 24, std::uint64_t{1}}) {
    options.limits.stream_from = stream_from;
    const Outcome outcome = resolve(opened, options);
    expect_all_of(builder, outcome);
    ASSERT_EQ(3u, outcome.faults.size());
    for (const std::uint32_t i : {0u, 1u, 4u}) {
      ASSERT_EQ(1u, outcome.faults.at({0, i}).size());
      const Fault& fault = outcome.faults.at({0, i})[0];
      EXPECT_EQ(MessageId::kPackGap, fault.id);
      EXPECT_EQ(opened.forest().end({i}).value - 3, fault.offset);
    }
  }
}

// An index that names an offset within an entry does not cut that entry short.
TEST(DeltaResolver, AnEntryGoesOnAcrossAnOffsetThatLies) {
  PackBuilder builder;
  std::string content;
  for (int i = 0; i < 300; ++i) content += std::to_string(i * i);
  const std::size_t base = builder.add_blob(content);
  builder.add_offset_delta(base, text("delta" + content + "delta"));
  builder.add_blob("named elsewhere\n");
  for (const std::size_t victim : {0u, 1u}) {
    PackBuilder lying = builder;
    lying.entry(2).index_offset = builder.build().offsets[victim] + 12;
    lying.index_version = 1;  // has no CRC
    const Outcome outcome = resolve(OpenedPack(lying.build()));
    // By offset, the false entry comes second or third.
    for (const std::uint32_t entry : {0u, 1u}) {
      const EntryName name{0, entry > victim ? entry + 1 : entry};
      ASSERT_EQ(1u, outcome.entries.count(name)) << victim << entry;
      EXPECT_EQ(builder.entry(entry).content, outcome.entries.at(name).content);
    }
  }
}

TEST(DeltaResolver, ParkedEntriesGoOnFromAnotherCopyOfTheirBase) {
  PackBuilder builder = damaged_family();
  builder.entry(1).kind = 5;  // its header is bad: the type of what is below is not known
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.after = [&](DeltaResolver& resolver, Recorder& recorder, BufferPool& pool,
                      StageClock& clock) {
    const Bytes& content = builder.entry(1).content;
    BufferRef base = pool.make(content.size());
    std::copy(content.begin(), content.end(), base->data());
    resolver.resume(0, {2}, base, ObjectType::kBlob, recorder, pool, clock);
    pool.release(std::move(base));
  };
  const Outcome outcome = resolve(opened, options);
  EXPECT_EQ(4, outcome.copies());
  for (const std::uint32_t i : {0u, 2u, 3u, 4u}) {
    EXPECT_EQ(builder.entry(i).content, outcome.entries.at({0, i}).content);
    EXPECT_EQ(ObjectType::kBlob, outcome.entries.at({0, i}).type);
  }
}

TEST(DeltaResolver, ResumingFromAWrongBaseIsAFault) {
  PackBuilder builder = damaged_family();
  builder.entry(1).kind = 5;
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.after = [&](DeltaResolver& resolver, Recorder& recorder, BufferPool& pool,
                      StageClock& clock) {
    BufferRef base = pool.make(3);
    resolver.resume(0, {2}, base, ObjectType::kBlob, recorder, pool, clock);
    pool.release(std::move(base));
  };
  const Outcome outcome = resolve(opened, options);
  EXPECT_EQ(2, outcome.copies());
  EXPECT_EQ(1u, outcome.faults.count({0, 2}));
  EXPECT_EQ((std::vector<EntryName>{{0, 3}}), outcome.parked);
}

TEST(DeltaResolver, BlobsCanBeLeftOut) {
  Random random(7);
  const PackBuilder builder = random_pack(random, 300);
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.limits.skip_blobs = true;
  const Outcome outcome = resolve(opened, options);
  for (std::uint32_t i = 0; i < builder.size(); ++i) {
    EXPECT_EQ(builder.entry(i).type == ObjectType::kBlob ? 0u : 1u, outcome.entries.count({0, i}));
  }
}

TEST(DeltaResolver, DroppedPagesChangeNothing) {
  Random random(8);
  const PackBuilder builder = random_pack(random, 300);
  const OpenedPack opened(builder.build());
  RunOptions options;
  options.limits.drop_pages_every = 1;
  options.workers = 2;
  expect_all_of(builder, resolve(opened, options));
}

TEST(DeltaResolver, APackCutShortMeanwhileGivesFaults) {
  Random random(9);
  PackBuilder builder;
  for (int i = 0; i < 30; ++i) {
    const std::size_t base = builder.add(ObjectType::kBlob, random.bytes(3000));
    Bytes content = builder.entry(base).content;
    content.push_back(1);
    builder.add_offset_delta(base, content);
  }
  const OpenedPack opened(builder.build());
  ASSERT_EQ(0, ::truncate((opened.path() + "/p.pack").c_str(), 40000));
  const Outcome outcome = resolve(opened);
  EXPECT_TRUE(opened.pack().file().shrank());
  EXPECT_GT(outcome.copies(), 10);
  EXPECT_LT(outcome.copies(), 40);
  EXPECT_EQ(60u, outcome.entries.size() + outcome.parked.size() +
                     static_cast<std::size_t>(std::count_if(
                         outcome.faults.begin(), outcome.faults.end(), [&](const auto& fault) {
                           return outcome.entries.count(fault.first) == 0;
                         })));
}

}  // namespace
}  // namespace assay
