// DeltaResolver::Worker: what one thread of a DeltaResolver does: a stack of entries to unpack, and
// the tools to do it. For delta_resolver.cc alone.
//
// Thread safety: one worker a thread.
#pragma once

#include <mutex>
#include <vector>

#include "store/codec/delta.h"
#include "store/pack/delta_resolver.h"
#include "store/pack/entry_reader.h"

namespace assay {

class DeltaResolver::Worker {
 public:
  // `type`: of the entries whose own chain of bases does not tell.
  Worker(DeltaResolver& resolver, EntryVisitor& visitor, BufferPool& pool, StageClock& clock,
         ObjectType type = ObjectType::kUnknown)
      : resolver_(resolver), visitor_(visitor), pool_(pool), clock_(clock), type_(type) {}

  void process(Item item);

  void run_stack() {
    while (!stack_.empty()) {
      Item item = std::move(stack_.back());
      stack_.pop_back();
      if (!stack_.empty()) prefetch(stack_.back());
      process(std::move(item));
      if (stack_.size() > 1 && resolver_.hungry_.load(std::memory_order_relaxed) != 0) {
        resolver_.donate(stack_);
      }
    }
    if (overdraft_) overdraft_.unlock();
  }

 private:
  // Bytes inflated at most from entries that do not end where the next one begins.
  static constexpr std::uint64_t kInflatedAcross = std::uint64_t{256} << 20;

  struct Raw {
    EntryHeader header;
    std::uint64_t offset;  // of the stream, in the pack
    ByteView deflated;     // the stream and whatever follows it
    std::size_t length;    // of `deflated`, up to the next entry
  };

  void prefetch(const Item& item) const { pack_of(item).forest->prefetch({item.entry}); }
  const ResolvePack& pack_of(const Item& item) const { return resolver_.packs_[item.pack]; }
  ObjectType type_of(const Item& item) const {
    const ObjectType type = pack_of(item).forest->type({item.entry});
    return type == ObjectType::kUnknown ? type_ : type;
  }
  Result<BufferRef> unpack(const Item& item, const Raw& raw, ByteView& program);
  Result<BufferRef> inflate_whole(const Item& item, const Raw& raw);
  Result<BufferRef> patch(const Item& item, const Raw& raw, ByteView& program);
  bool stream(const Item& item, const Raw& raw);
  void stream_whole(const Item& item, const Raw& raw);
  void stream_pieces(const Delta& delta, Buffer& base);
  void park_descendants(const Item& item);
  void push_children(const Item& item, const BufferRef& buffer);
  Result<void> inflate_program(const Item& item, const Raw& raw);
  std::uint64_t held_by(const Buffer& base) const;
  Result<void> reserve(std::uint64_t size, std::uint64_t held);
  void park_stack();

  void check_end(const Item& item, const Raw& raw, std::size_t used);
  void unpack_spilled(const Item& item, const Raw& raw, Result<BufferRef>& result);
  void give_spilled(const Item& item, Buffer& buffer);
  void unpack_across(const Item& item, const Raw& raw, ByteView& program,
                     Result<BufferRef>& result);

  Fault cannot_unpack(const Item& item, Fault reason) const;

  DeltaResolver& resolver_;
  EntryVisitor& visitor_;
  BufferPool& pool_;
  StageClock& clock_;
  ObjectType type_;
  EntryReader reader_;
  Inflater inflater_;
  std::vector<Item> stack_;
  std::uint64_t across_left_ = kInflatedAcross;
  BufferRef program_;  // instructions of the delta at hand; empty until they are inflated
  std::unique_lock<std::mutex> overdraft_;  // held while this worker is beyond the budget
};

}  // namespace assay
