#include "store/pack/delta_resolver.h"

#include <algorithm>

#include "store/pack/delta_worker.h"

namespace assay {

DeltaResolver::DeltaResolver(std::vector<ResolvePack> packs, unsigned workers, ByteBudget& budget,
                             Limits limits, SpillSpace* spill)
    : packs_(std::move(packs)), workers_(workers), budget_(budget), limits_(limits), spill_(spill) {
  // Each pack's families are in order of weight. With several packs the largest pack goes first;
  // within it the order stands.
  std::vector<std::uint32_t> order(packs_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return packs_[a].forest->size() > packs_[b].forest->size();
  });
  for (const std::uint32_t pack : order) {
    const DeltaForest& forest = *packs_[pack].forest;
    for (const std::uint32_t root : forest.roots()) {
      if (limits_.skip_blobs && forest.type({root}) == ObjectType::kBlob) continue;
      families_.push_back({pack, root});
    }
  }
}

bool DeltaResolver::next_item(Item& item) {
  const std::size_t family = next_family_.fetch_add(1, std::memory_order_relaxed);
  if (family < families_.size()) {
    item = Item{families_[family].pack, families_[family].entry, {}};
    return true;
  }
  std::unique_lock lock(mutex_);
  ++idle_;
  hungry_.fetch_add(1);
  changed_.notify_all();
  changed_.wait(lock, [&] { return !donated_.empty() || idle_ == workers_; });
  hungry_.fetch_sub(1);
  if (donated_.empty()) {
    changed_.notify_all();
    return false;
  }
  --idle_;
  item = std::move(donated_.front());
  donated_.pop_front();
  return true;
}

void DeltaResolver::donate(std::vector<Item>& items) {
  const std::lock_guard lock(mutex_);
  // The bottom of the stack has the heaviest subtrees: give away every second of those.
  std::vector<Item> kept;
  kept.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i % 2 == 0 && i + 1 < items.size()) {
      donated_.push_back(std::move(items[i]));
    } else {
      kept.push_back(std::move(items[i]));
    }
  }
  items = std::move(kept);
  changed_.notify_all();
}

void DeltaResolver::note_deflated(std::uint64_t size) {
  if (limits_.drop_pages_every == 0) return;
  const std::uint64_t before = deflated_.fetch_add(size, std::memory_order_relaxed);
  if (before / limits_.drop_pages_every == (before + size) / limits_.drop_pages_every) return;
  for (const ResolvePack& pack : packs_) pack.pack->file().drop_pages();
}

void DeltaResolver::run(EntryVisitor& visitor, BufferPool& pool, StageClock& clock) {
  Worker worker(*this, visitor, pool, clock);
  Item item;
  for (;;) {
    clock.enter(Stage::kWaiting);
    const bool more = next_item(item);
    clock.enter(Stage::kOther);
    if (!more) break;
    worker.process(std::move(item));
    worker.run_stack();
  }
}

void DeltaResolver::resume(std::uint32_t pack, PackPosition position, const BufferRef& base,
                           ObjectType type, EntryVisitor& visitor, BufferPool& pool,
                           StageClock& clock) {
  Worker worker(*this, visitor, pool, clock, type);
  worker.process(Item{pack, position.value, base.share()});
  worker.run_stack();
}

}  // namespace assay
