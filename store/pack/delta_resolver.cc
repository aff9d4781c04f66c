#include "store/pack/delta_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "store/codec/delta.h"
#include "store/codec/zlib_stream.h"

namespace assay {

static_assert(Buffer::kSlack >= kDeltaSlack);

namespace {

// Bytes a worker inflates at most from entries that did not end where the next one begins.
constexpr std::uint64_t kInflatedAcross = std::uint64_t{256} << 20;
constexpr std::uint64_t kAlwaysFits = std::uint64_t{1} << 20;  // not worth asking the budget

}  // namespace

// What one thread does: a stack of entries to unpack, and the tools to do it.
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
      process(std::move(item));
      if (stack_.size() > 1 && resolver_.hungry_.load(std::memory_order_relaxed) != 0) {
        resolver_.donate(stack_);
      }
    }
    if (overdraft_) overdraft_.unlock();
  }

 private:
  struct Raw {
    EntryHeader header;
    ByteView deflated;   // the stream and whatever follows it
    std::size_t length;  // of `deflated`, up to the next entry
  };

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
  void stream_pieces(const Delta& delta, const Buffer& base);
  void park_descendants(const Item& item);
  void push_children(const Item& item, const BufferRef& buffer);
  Result<void> inflate_program(const Item& item, const Raw& raw);
  Result<void> reserve(std::uint64_t size, std::uint64_t held);
  void park_stack();

  void check_end(const Item& item, const Raw& raw, std::size_t used);
  void unpack_across(const Item& item, const Raw& raw, ByteView& program,
                     Result<BufferRef>& result);

  Fault cannot_unpack(const Item& item, Fault reason) const;

  DeltaResolver& resolver_;
  EntryVisitor& visitor_;
  BufferPool& pool_;
  StageClock& clock_;
  ObjectType type_;
  Inflater inflater_;
  std::vector<Item> stack_;
  std::uint64_t across_left_ = kInflatedAcross;
  BufferRef program_;  // instructions of the delta at hand; empty until they are inflated
  std::unique_lock<std::mutex> overdraft_;  // held while this worker is beyond the budget
};

Fault DeltaResolver::Worker::cannot_unpack(const Item& item, Fault reason) const {
  const ResolvePack& pack = pack_of(item);
  const IndexPosition position = pack.forest->index_position({item.entry});
  const std::uint64_t offset = pack.forest->offset({item.entry}).value;
  Fault whole(MessageId::kEntryUnpackable,
              fmt::format("cannot unpack {} from {} at offset {}", pack.index->id(position).hex(),
                          pack.pack->path(), offset),
              offset);
  whole.causes = std::move(reason.causes);
  whole.causes.push_back(std::move(reason.text));
  return whole;
}

// Memory is taken only when the budget has it. One worker at a time may go beyond it, until it has
// walked what hangs below; the others wait, so they cannot wait for each other. That one keeps no
// base but the one at hand: whatever else it would walk later is parked. So no shape of a delta
// forest makes it hold more than `held` and `size`.
Result<void> DeltaResolver::Worker::reserve(std::uint64_t size, std::uint64_t held) {
  if (size <= kAlwaysFits) return {};
  const ByteBudget& budget = resolver_.budget_;
  if (size > budget.limit() || held > budget.limit() - size) {
    return fault(MessageId::kObjectTooLarge,
                 fmt::format("not checked: it takes {} bytes, more than the memory limit of {} "
                             "allows (see --memory)",
                             size + held, budget.limit()));
  }
  if (budget.has_room(size)) return {};
  visitor_.on_memory_pressure();
  pool_.trim();
  if (budget.has_room(size)) return {};
  if (!overdraft_) {
    const Stage left = clock_.enter(Stage::kWaiting);
    overdraft_ = std::unique_lock(resolver_.overdraft_mutex_);
    clock_.enter(left);
    if (budget.has_room(size)) {
      overdraft_.unlock();
      return {};
    }
  }
  park_stack();
  return {};
}

// Lets go of the bases that entries wait for; those entries are then for resume().
void DeltaResolver::Worker::park_stack() {
  std::vector<Item> kept;
  for (Item& item : stack_) {
    if (!item.base || item.base->size() <= kAlwaysFits) {
      kept.push_back(std::move(item));
    } else {
      visitor_.on_parked(item.pack, {item.entry});
      pool_.release(std::move(item.base));
    }
  }
  stack_ = std::move(kept);
  pool_.trim();
}

// Bytes between the end of a stream and the next entry belong to nothing: a place to hide things.
void DeltaResolver::Worker::check_end(const Item& item, const Raw& raw, std::size_t used) {
  if (used >= raw.length) return;
  const std::uint64_t begin =
      static_cast<std::uint64_t>(raw.deflated.data() - pack_of(item).pack->bytes().data()) + used;
  visitor_.on_fault(item.pack, {item.entry},
                    Fault(MessageId::kPackGap,
                          fmt::format("{} bytes at offset {} of {} belong to no entry",
                                      raw.length - used, begin, pack_of(item).pack->path()),
                          begin));
}

Result<BufferRef> DeltaResolver::Worker::inflate_whole(const Item& item, const Raw& raw) {
  if (auto room = reserve(raw.header.inflated_size, 0); !room) {
    return tl::unexpected<Fault>(std::move(room.error()));
  }
  BufferRef buffer = pool_.make(static_cast<std::size_t>(raw.header.inflated_size));
  clock_.enter(Stage::kInflate);
  auto used = inflater_.inflate(raw.deflated, {buffer->data(), buffer->size()});
  clock_.enter(Stage::kOther);
  if (used) {
    check_end(item, raw, *used);
    return buffer;
  }
  pool_.release(std::move(buffer));
  return tl::unexpected<Fault>(std::move(used.error()));
}

Result<void> DeltaResolver::Worker::inflate_program(const Item& item, const Raw& raw) {
  if (auto room = reserve(raw.header.inflated_size, item.base->size()); !room) return room;
  program_ = pool_.make(static_cast<std::size_t>(raw.header.inflated_size));
  clock_.enter(Stage::kInflate);
  auto used = inflater_.inflate(raw.deflated, {program_->data(), program_->size()});
  clock_.enter(Stage::kDelta);
  if (used) {
    check_end(item, raw, *used);
    return {};
  }
  pool_.release(std::move(program_));
  Fault reason = std::move(used.error());
  reason.causes.push_back(std::move(reason.text));
  // Of the stream itself, as git says it: behind the entry's header and the name of its base.
  reason.text =
      fmt::format("failed to unpack compressed delta at offset {} from {}",
                  pack_of(item).forest->offset({item.entry}).value + raw.header.header_size,
                  pack_of(item).pack->path());
  return tl::unexpected<Fault>(std::move(reason));
}

Result<BufferRef> DeltaResolver::Worker::patch(const Item& item, const Raw& raw,
                                               ByteView& program) {
  const auto bad = [&](std::string text) {
    return fault(MessageId::kEntryUnpackable, std::move(text));
  };
  if (!program_) {
    if (auto inflated = inflate_program(item, raw); !inflated) {
      return tl::unexpected<Fault>(std::move(inflated.error()));
    }
  }
  const auto delta = parse_delta(program_->bytes());
  if (!delta || delta->base_size != item.base->size()) return bad("failed to apply delta");
  // An instruction of seven bytes can give 16 MB at most: a larger claim is a lie.
  if (delta->result_size / (std::uint64_t{1} << 24) > delta->program.size()) {
    return bad("failed to apply delta");
  }
  if (auto room = reserve(delta->result_size, item.base->size() + program_->size()); !room) {
    return tl::unexpected<Fault>(std::move(room.error()));
  }
  BufferRef buffer = pool_.make(static_cast<std::size_t>(delta->result_size));
  if (!apply_delta(item.base->bytes(), delta->program, {buffer->data(), buffer->size()})) {
    pool_.release(std::move(buffer));
    return bad("failed to apply delta");
  }
  program = delta->program;
  return buffer;
}

Result<BufferRef> DeltaResolver::Worker::unpack(const Item& item, const Raw& raw,
                                                ByteView& program) {
  const std::uint64_t size = raw.header.inflated_size;
  if (size > max_inflated_size(raw.deflated.size())) {
    return fault(MessageId::kEntryUnpackable,
                 fmt::format("declared size {} is more than {} deflated bytes can give", size,
                             raw.deflated.size()));
  }
  try {
    return is_delta(raw.header.kind) ? patch(item, raw, program) : inflate_whole(item, raw);
  } catch (const std::bad_alloc&) {
    return fault(MessageId::kObjectTooLarge,
                 fmt::format("{} bytes are more memory than there is", size));
  }
}

// The index may name an offset within the entry, which then only seems to end there. Entries that
// overlap could make little work much, so there is a limit to what is tried again.
void DeltaResolver::Worker::unpack_across(const Item& item, const Raw& raw, ByteView& program,
                                          Result<BufferRef>& result) {
  const PackFile& pack = *pack_of(item).pack;
  const auto begin = static_cast<std::size_t>(raw.deflated.data() - pack.bytes().data());
  const Raw longer{raw.header, pack.bytes().subspan(begin, pack.end_of_entries() - begin),
                   raw.length};
  const std::uint64_t cost = raw.header.inflated_size + 1;
  if (longer.deflated.size() == raw.length || cost > across_left_) return;
  across_left_ -= cost;
  pool_.release(std::move(program_));
  if (auto second = unpack(item, longer, program)) result = std::move(second);
}

void DeltaResolver::Worker::stream_whole(const Item& item, const Raw& raw) {
  visitor_.on_large_begin(item.pack, {item.entry}, type_of(item), raw.header.inflated_size);
  ZlibInflater inflater;
  Bytes window(std::size_t{256} << 10);
  ByteView input = raw.deflated;
  std::uint64_t total = 0;
  std::string reason;
  for (bool ended = false; !ended && reason.empty();) {
    clock_.enter(Stage::kInflate);
    const ZlibStep step = inflater.run(input, window);
    clock_.enter(Stage::kSha1);
    input = input.subspan(step.consumed);
    total += step.produced;
    visitor_.on_large_piece(ByteView(window.data(), step.produced));
    ended = step.state == ZlibState::kEnd;
    if (step.state == ZlibState::kError) reason = "inflate: " + inflater.error_text();
    if (step.state == ZlibState::kStalled) reason = "inflate: stream ends too early";
    if (total > raw.header.inflated_size) reason = "inflate: stream is longer than declared";
    if (ended && total < raw.header.inflated_size) {
      reason = "inflate: stream is shorter than declared";
    }
  }
  clock_.enter(Stage::kOther);
  if (reason.empty()) check_end(item, raw, raw.deflated.size() - input.size());
  visitor_.on_large_end(reason.empty());
  if (!reason.empty()) {
    visitor_.on_fault(item.pack, {item.entry},
                      cannot_unpack(item, Fault(MessageId::kEntryUnpackable, std::move(reason))));
  }
}

void DeltaResolver::Worker::stream_pieces(const Delta& delta, const Buffer& base) {
  DeltaCursor cursor(delta.program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    const ByteView from = operation.copy ? base.bytes() : delta.program;
    visitor_.on_large_piece(from.subspan(operation.offset, operation.size));
  }
}

// Large blobs that are nobody's base are never held whole: their bytes go straight to the hash.
// Returns: true when the entry is dealt with.
bool DeltaResolver::Worker::stream(const Item& item, const Raw& raw) {
  const ResolvePack& pack = pack_of(item);
  if (type_of(item) != ObjectType::kBlob || !pack.forest->children({item.entry}).empty()) {
    return false;
  }
  if (!is_delta(raw.header.kind)) {
    if (raw.header.inflated_size < resolver_.limits_.stream_from) return false;
    stream_whole(item, raw);
    return true;
  }
  if (item.base->size() < resolver_.limits_.stream_from / 64 &&
      raw.header.inflated_size < resolver_.limits_.stream_from / 1024) {
    return false;  // cannot give much: the usual case costs nothing more
  }
  if (raw.header.inflated_size > max_inflated_size(raw.deflated.size()) ||
      raw.header.inflated_size > resolver_.limits_.stream_from) {
    return false;
  }
  // When this comes to nothing, the usual way goes on with what was inflated, or finds the words.
  if (!inflate_program(item, raw)) return false;
  const auto delta = parse_delta(program_->bytes());
  if (!delta || delta->result_size < resolver_.limits_.stream_from ||
      delta->base_size != item.base->size()) {
    return false;
  }
  // First see that every instruction is in range: nothing is hashed of a bad delta.
  std::uint64_t total = 0;
  DeltaCursor cursor(delta->program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    if (operation.copy && (operation.offset > item.base->size() ||
                           operation.size > item.base->size() - operation.offset)) {
      return false;
    }
    total += operation.size;
  }
  if (cursor.bad() || total != delta->result_size) {
    visitor_.on_fault(
        item.pack, {item.entry},
        cannot_unpack(item, Fault(MessageId::kEntryUnpackable, "failed to apply delta")));
    return true;
  }
  visitor_.on_large_begin(item.pack, {item.entry}, ObjectType::kBlob, delta->result_size);
  clock_.enter(Stage::kSha1);
  stream_pieces(*delta, *item.base);
  clock_.enter(Stage::kOther);
  visitor_.on_large_end(true);
  return true;
}

void DeltaResolver::Worker::park_descendants(const Item& item) {
  const DeltaForest& forest = *pack_of(item).forest;
  for (const std::uint32_t child : forest.children({item.entry})) {
    visitor_.on_parked(item.pack, {child});
  }
}

void DeltaResolver::Worker::push_children(const Item& item, const BufferRef& buffer) {
  // Taken from the end: the heaviest child is pushed first.
  const auto children = pack_of(item).forest->children({item.entry});
  for (std::size_t i = children.size(); i-- > 0;) {
    stack_.push_back(Item{item.pack, children[i], buffer.share()});
  }
}

void DeltaResolver::Worker::process(Item item) {
  const ResolvePack& pack = pack_of(item);
  const ByteView bytes = entry_bytes(pack, {item.entry});
  if (resolver_.limits_.check_crc) {
    clock_.enter(Stage::kChecksums);
    if (auto wrong = check_entry_crc(pack, {item.entry})) {
      visitor_.on_fault(item.pack, {item.entry}, std::move(*wrong));
    }
    clock_.enter(Stage::kOther);
  }
  const auto header = pack.pack->entry_header(pack.forest->offset({item.entry}));
  // The forest was built from the same bytes; a pack that is written to meanwhile may disagree.
  const bool agrees = header && is_delta(header->kind) == static_cast<bool>(item.base) &&
                      header->header_size <= bytes.size();
  if (!agrees) {
    visitor_.on_fault(item.pack, {item.entry},
                      header ? cannot_unpack(item, Fault(MessageId::kPackChanged,
                                                         "the pack changed while it was read"))
                             : cannot_unpack(item, header.error()));
    park_descendants(item);
    pool_.release(std::move(item.base));
    return;
  }
  const ByteView deflated = bytes.subspan(header->header_size);
  const Raw raw{*header, deflated, deflated.size()};
  if (!stream(item, raw)) {
    ByteView program;
    auto buffer = unpack(item, raw, program);
    if (!buffer) unpack_across(item, raw, program, buffer);
    clock_.enter(Stage::kOther);
    if (!buffer) {
      visitor_.on_fault(item.pack, {item.entry}, cannot_unpack(item, std::move(buffer.error())));
      park_descendants(item);
    } else {
      const ResolvedEntry entry{item.pack,
                                {item.entry},
                                type_of(item),
                                &**buffer,
                                item.base ? &*item.base : nullptr,
                                program,
                                !pack.forest->children({item.entry}).empty()};
      visitor_.on_entry(entry, *buffer);
      push_children(item, *buffer);
      pool_.release(std::move(*buffer));
    }
  }
  resolver_.note_deflated(item.pack, bytes.size());
  pool_.release(std::move(program_));
  pool_.release(std::move(item.base));
}

DeltaResolver::DeltaResolver(std::vector<ResolvePack> packs, unsigned workers, ByteBudget& budget,
                             Limits limits)
    : packs_(std::move(packs)), workers_(workers), budget_(budget), limits_(limits) {
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

void DeltaResolver::note_deflated(std::uint32_t, std::uint64_t size) {
  if (limits_.drop_pages_every == 0) return;
  const std::uint64_t before = deflated_.fetch_add(size, std::memory_order_relaxed);
  if (before / limits_.drop_pages_every == (before + size) / limits_.drop_pages_every) return;
  for (const ResolvePack& pack : packs_) pack.pack->file().drop_pages();
}

void DeltaResolver::run(unsigned, EntryVisitor& visitor, BufferPool& pool, StageClock& clock) {
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
