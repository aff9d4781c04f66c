// ResolveRun: a DeltaResolver run over packs made by PackBuilder, by any number of workers, with
// everything that its visitors saw. For the tests of the resolver.
//
// Sizes are bytes. resolve() itself expects that no buffer was lost; what else a run shows is in
// its Outcome. Thread safety: none; the workers of a run are its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/codec/delta.h"
#include "store/pack/delta_resolver.h"
#include "store/run/workers.h"
#include "tests/support/opened_pack.h"

namespace assay::testing {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

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
  SpillSpace* spill = nullptr;
  std::function<void(unsigned worker, std::size_t count)> each;
  // Called when all workers have ended, with what is needed to go on.
  std::function<void(DeltaResolver&, Recorder&, BufferPool&, StageClock&)> after;
};

inline void merge(Outcome& into, Outcome&& from) {
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

inline Outcome resolve(const std::vector<const OpenedPack*>& opened, const RunOptions& options) {
  std::vector<ResolvePack> packs;
  for (const OpenedPack* pack : opened) {
    packs.push_back({&pack->pack(), &pack->index(), &pack->forest()});
  }
  ByteBudget budget(options.budget);
  Outcome outcome;
  outcome.entries_of_worker.resize(options.workers);
  {
    DeltaResolver resolver(packs, options.workers, budget, options.limits, options.spill);
    std::mutex mutex;
    std::latch ready(options.workers);
    run_workers(options.workers, [&](unsigned number) {
      BufferPool pool(budget);
      StageClock clock;
      Recorder recorder(packs, budget, pool);
      recorder.keep_at_most = options.keep;
      if (options.each) recorder.each = [&] { options.each(number, recorder.count); };
      ready.arrive_and_wait();
      resolver.run(recorder, pool, clock);
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

inline Outcome resolve(const OpenedPack& opened, const RunOptions& options = {}) {
  return resolve(std::vector<const OpenedPack*>{&opened}, options);
}

inline Bytes text(const std::string& content) { return {content.begin(), content.end()}; }

// Entries lie in the order in which they were added.
inline void expect_all_of(const PackBuilder& builder, const Outcome& outcome,
                          std::uint32_t pack = 0) {
  for (std::uint32_t i = 0; i < builder.size(); ++i) {
    const auto found = outcome.entries.find({pack, i});
    ASSERT_NE(outcome.entries.end(), found) << i;
    EXPECT_EQ(1, found->second.times) << i;
    EXPECT_EQ(builder.entry(i).content, found->second.content) << i;
    EXPECT_EQ(builder.entry(i).type, found->second.type) << i;
  }
}

}  // namespace assay::testing
