#include "store/pack/delta_resolver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <map>
#include <string>
#include <thread>

#include "store/codec/delta.h"
#include "store/run/workers.h"
#include "tests/support/opened_pack.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::BuiltPack;
using testing::DeltaWriter;
using testing::OpenedPack;
using testing::PackBuilder;
using testing::Random;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

using EntryName = std::pair<std::uint32_t, std::uint32_t>;  // pack, position

struct Seen {
  int times = 0;
  Bytes content;
  ObjectType type = ObjectType::kUnknown;
  bool large = false;
  bool complete = true;
};

// What the visitors of one run saw, together.
struct Outcome {
  std::map<EntryName, Seen> entries;
  std::map<EntryName, std::vector<Fault>> faults;
  std::vector<EntryName> parked;
  std::vector<std::size_t> entries_of_worker;
  int pressures = 0;
  std::uint64_t peak = 0;  // of the budget, when an entry was given

  int copies() const {
    int sum = 0;
    for (const auto& [name, seen] : entries) sum += seen.times;
    return sum;
  }
};

class Recorder : public EntryVisitor {
 public:
  Recorder(const std::vector<ResolvePack>& packs, const ByteBudget& budget, BufferPool& pool)
      : packs_(packs), budget_(budget), pool_(pool) {}
  ~Recorder() override { let_go(); }

  void on_entry(const ResolvedEntry& entry, const BufferRef& buffer) override {
    Seen& seen = outcome.entries[{entry.pack, entry.position.value}];
    ++seen.times;
    seen.content.assign(buffer->bytes().begin(), buffer->bytes().end());
    seen.type = entry.type;
    EXPECT_EQ(entry.buffer, &*buffer);
    EXPECT_EQ(entry.has_children, !packs_[entry.pack].forest->children(entry.position).empty());
    expect_made_from_base(entry);
    outcome.peak = std::max(outcome.peak, budget_.in_use());
    ++count;
    kept_.push_back(buffer.share());
    if (kept_.size() > keep_at_most) let_go();
    if (each) each();
  }
  void on_large_begin(std::uint32_t pack, PackPosition position, ObjectType type,
                      std::uint64_t size) override {
    Seen& seen = outcome.entries[{pack, position.value}];
    ++seen.times;
    seen.type = type;
    seen.large = true;
    large_ = &seen;
    large_size_ = size;
    ++count;
  }
  void on_large_piece(ByteView piece) override {
    large_->content.insert(large_->content.end(), piece.begin(), piece.end());
  }
  void on_large_end(bool complete) override {
    large_->complete = complete;
    EXPECT_TRUE(!complete || large_size_ == large_->content.size());
    large_ = nullptr;
  }
  void on_fault(std::uint32_t pack, PackPosition position, Fault fault) override {
    outcome.faults[{pack, position.value}].push_back(std::move(fault));
  }
  void on_parked(std::uint32_t pack, PackPosition position) override {
    outcome.parked.emplace_back(pack, position.value);
  }
  void on_memory_pressure() override {
    ++outcome.pressures;
    let_go();
  }

  Outcome outcome;
  std::size_t count = 0;
  std::size_t keep_at_most = 0;  // buffers held as if they were still being hashed
  std::function<void()> each;

 private:
  void let_go() {
    for (BufferRef& buffer : kept_) pool_.release(std::move(buffer));
    kept_.clear();
  }

  // A delta's program, run on its base, gives the entry.
  void expect_made_from_base(const ResolvedEntry& entry) {
    const std::uint32_t base = packs_[entry.pack].forest->base(entry.position);
    EXPECT_EQ(base != DeltaForest::kNone, entry.base != nullptr);
    if (entry.base == nullptr) return;
    Bytes again(entry.buffer->size() + kDeltaSlack);
    EXPECT_TRUE(
        apply_delta(entry.base->bytes(), entry.program, {again.data(), entry.buffer->size()}));
    again.resize(entry.buffer->size());
    EXPECT_TRUE(std::ranges::equal(again, entry.buffer->bytes()));
  }

  const std::vector<ResolvePack>& packs_;
  const ByteBudget& budget_;
  BufferPool& pool_;
  std::vector<BufferRef> kept_;
  Seen* large_ = nullptr;
  std::uint64_t large_size_ = 0;
};

struct RunOptions {
  unsigned workers = 1;
  std::uint64_t budget = 256 * kMiB;
  DeltaResolver::Limits limits;
  std::size_t keep = 0;
  std::function<void(unsigned worker, std::size_t count)> each;
  // Called when all workers have ended, with what is needed to go on.
  std::function<void(DeltaResolver&, Recorder&, BufferPool&, StageClock&)> after;
};

void merge(Outcome& into, Outcome&& from) {
  for (auto& [name, seen] : from.entries) {
    Seen& known = into.entries[name];
    seen.times += known.times;
    known = std::move(seen);
  }
  for (auto& [name, faults] : from.faults) {
    auto& known = into.faults[name];
    known.insert(known.end(), faults.begin(), faults.end());
  }
  into.parked.insert(into.parked.end(), from.parked.begin(), from.parked.end());
  into.pressures += from.pressures;
  into.peak = std::max(into.peak, from.peak);
}

Outcome resolve(const std::vector<const OpenedPack*>& opened, const RunOptions& options) {
  std::vector<ResolvePack> packs;
  for (const OpenedPack* pack : opened) {
    packs.push_back({&pack->pack(), &pack->index(), &pack->forest()});
  }
  ByteBudget budget(options.budget);
  Outcome outcome;
  outcome.entries_of_worker.resize(options.workers);
  {
    DeltaResolver resolver(packs, options.workers, budget, options.limits);
    std::mutex mutex;
    std::latch ready(options.workers);
    run_workers(options.workers, [&](unsigned number) {
      BufferPool pool(budget);
      StageClock clock;
      Recorder recorder(packs, budget, pool);
      recorder.keep_at_most = options.keep;
      if (options.each) recorder.each = [&] { options.each(number, recorder.count); };
      ready.arrive_and_wait();
      resolver.run(number, recorder, pool, clock);
      const std::lock_guard lock(mutex);
      outcome.entries_of_worker[number] = recorder.count;
      merge(outcome, std::move(recorder.outcome));
    });
    if (options.after) {
      BufferPool pool(budget);
      StageClock clock;
      Recorder recorder(packs, budget, pool);
      options.after(resolver, recorder, pool, clock);
      merge(outcome, std::move(recorder.outcome));
    }
  }
  EXPECT_EQ(0u, budget.in_use()) << "buffers were lost";
  std::sort(outcome.parked.begin(), outcome.parked.end());
  return outcome;
}

Outcome resolve(const OpenedPack& opened, const RunOptions& options = {}) {
  return resolve(std::vector<const OpenedPack*>{&opened}, options);
}

Bytes text(const std::string& content) { return {content.begin(), content.end()}; }

// Entries lie in the order in which they were added.
void expect_all_of(const PackBuilder& builder, const Outcome& outcome, std::uint32_t pack = 0) {
  for (std::uint32_t i = 0; i < builder.size(); ++i) {
    const auto found = outcome.entries.find({pack, i});
    ASSERT_NE(outcome.entries.end(), found) << i;
    EXPECT_EQ(1, found->second.times) << i;
    EXPECT_EQ(builder.entry(i).content, found->second.content) << i;
    EXPECT_EQ(builder.entry(i).type, found->second.type) << i;
  }
}

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

// --- Memory -------------------------------------------------------------------------------------

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
    EXPECT_LT(outcome.peak, (8 + 3 * workers) * kMiB);
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

}  // namespace
}  // namespace assay
