// DeltaResolver: gives every entry of a set of packs to a visitor, each inflated once and patched
// once, on several threads.
//
// Work is shared out by families (a whole object and all deltas that derive from it), heaviest
// first. Inside a family it goes depth first, the child with the most descendants last, so the
// buffer of a base is free before the deepest chain below it is walked: five to seven buffers are
// alive a thread though chains are 50 deep. A thread that runs out of families takes part of the
// pending subtrees of one that has several.
//
// Faults of single entries go to the visitor and the run goes on; entries below a bad base are
// handed over as parked, with what is known, so that the caller can try another copy of the base.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "store/codec/inflate.h"
#include "store/pack/resolve_pack.h"
#include "store/pack/spill_space.h"
#include "store/run/buffer.h"
#include "store/run/stage_clock.h"

namespace assay {

struct ResolvedEntry {
  std::uint32_t pack = 0;  // number of the pack in the set
  PackPosition position;
  ObjectType type = ObjectType::kUnknown;
  Buffer* buffer = nullptr;      // the object; share it to keep it
  const Buffer* base = nullptr;  // of a delta: what it was patched from
  ByteView program;              // of a delta: valid during the call only
  bool has_children = false;     // more deltas will be patched from it
};

// Receives entries. One visitor a worker, called on that worker's thread only.
class EntryVisitor {
 public:
  virtual ~EntryVisitor() = default;
  // The entry is about to be unpacked: what will be needed of it may be brought into the cache.
  virtual void on_coming(std::uint32_t /*pack*/, PackPosition /*position*/) {}
  virtual void on_entry(const ResolvedEntry& entry, const BufferRef& buffer) = 0;
  // A blob too large to be held: its bytes come in order, in pieces, between begin and end.
  virtual void on_large_begin(std::uint32_t pack, PackPosition position, ObjectType type,
                              std::uint64_t size) = 0;
  virtual void on_large_piece(ByteView piece) = 0;
  virtual void on_large_end(bool complete) = 0;
  // The entry could not be unpacked. Also what is wrong but does not stop it: kEntryCrcMismatch,
  // kPackGap.
  virtual void on_fault(std::uint32_t pack, PackPosition position, Fault fault) = 0;
  // The entry's base could not be unpacked, or could not be kept because memory ran short; nothing
  // was tried with the entry itself.
  virtual void on_parked(std::uint32_t pack, PackPosition position) = 0;
  // Called when the budget is used up: let go of buffers kept for later, now.
  virtual void on_memory_pressure() = 0;
};

class DeltaResolver {
 public:
  struct Limits {
    // Blobs of at least this many bytes that are nobody's base are streamed.
    std::uint64_t stream_from = std::uint64_t{16} << 20;
    // Give pages of packs back after this many deflated bytes; 0 never.
    std::uint64_t drop_pages_every = std::uint64_t{8} << 20;
    // Leave blobs out: they have no links.
    bool skip_blobs = false;
    bool check_crc = true;
  };

  // `spill`: null, or takes blobs for which the budget is too small; they are given in pieces.
  DeltaResolver(std::vector<ResolvePack> packs, unsigned workers, ByteBudget& budget, Limits limits,
                SpillSpace* spill = nullptr);

  // Works to the end of all work. Call it once on each of `workers` threads.
  void run(EntryVisitor& visitor, BufferPool& pool, StageClock& clock);

  // Unpacks one parked entry and everything below it from the bytes of its base (an object of that
  // type), on the calling thread. For use after run().
  void resume(std::uint32_t pack, PackPosition position, const BufferRef& base, ObjectType type,
              EntryVisitor& visitor, BufferPool& pool, StageClock& clock);

 private:
  class Worker;
  struct Item {
    std::uint32_t pack = 0;
    std::uint32_t entry = 0;
    BufferRef base;
  };
  struct Family {
    std::uint32_t pack;
    std::uint32_t entry;
  };

  // Returns: false when all work is done. Waits for others' work when there is none left to start.
  bool next_item(Item& item);
  void donate(std::vector<Item>& items);
  void note_deflated(std::uint64_t size);

  std::vector<ResolvePack> packs_;
  unsigned workers_;
  ByteBudget& budget_;
  Limits limits_;
  SpillSpace* spill_;
  std::vector<Family> families_;
  std::atomic<std::size_t> next_family_{0};
  std::atomic<unsigned> hungry_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> donated_;  // guarded by mutex_
  unsigned idle_ = 0;         // guarded by mutex_
  std::atomic<std::uint64_t> deflated_{0};
  // Held by the one worker that may go beyond the budget.
  std::mutex overdraft_mutex_;
};

}  // namespace assay
