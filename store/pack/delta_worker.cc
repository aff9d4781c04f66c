#include "store/pack/delta_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "store/codec/zlib_stream.h"
#include "store/pack/spilled_entry.h"

namespace assay {

static_assert(Buffer::kSlack >= kDeltaSlack);

namespace {

constexpr std::uint64_t kAlwaysFits = std::uint64_t{1} << 20;  // not worth asking the budget

}  // namespace

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
    if (!item.base || item.base->is_spilled() || item.base->size() <= kAlwaysFits) {
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
  const std::uint64_t begin = raw.offset + used;
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
  if (auto room = reserve(raw.header.inflated_size, held_by(*item.base)); !room) return room;
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

// What is made from a spilled base is spilled as well, unless it is small enough not to be parked:
// without that base it could not be made again from memory alone.
std::uint64_t DeltaResolver::Worker::held_by(const Buffer& base) const {
  return base.is_spilled() ? resolver_.budget_.limit() : base.size();
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
  if (auto room = reserve(delta->result_size, held_by(*item.base) + program_->size()); !room) {
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
  const auto begin = static_cast<std::size_t>(raw.offset);
  const Raw longer{raw.header, raw.offset,
                   pack.bytes().subspan(begin, pack.end_of_entries() - begin), raw.length};
  if (result.error().id == MessageId::kObjectTooLarge) return;
  const std::uint64_t cost = raw.header.inflated_size + 1;
  if (longer.deflated.size() == raw.length || cost > across_left_) return;
  across_left_ -= cost;
  pool_.release(std::move(program_));
  if (auto second = unpack(item, longer, program)) result = std::move(second);
}

// A blob for which there is not enough memory is made in a file. Other objects are judged whole.
void DeltaResolver::Worker::unpack_spilled(const Item& item, const Raw& raw,
                                           Result<BufferRef>& result) {
  SpillSpace* const space = resolver_.spill_;
  if (space == nullptr || result.error().id != MessageId::kObjectTooLarge) return;
  if (type_of(item) != ObjectType::kBlob) return;
  pool_.release(std::move(program_));
  clock_.enter(Stage::kInflate);
  std::size_t used = 0;
  result = inflate_spilled(raw.deflated, raw.header.inflated_size, *space, pool_, used);
  if (!result) return;
  check_end(item, raw, used);
  if (!item.base) return;
  clock_.enter(Stage::kDelta);
  BufferRef delta = std::move(*result);
  result = patch_spilled(*delta, *item.base, *space);
  pool_.release(std::move(delta));
}

void DeltaResolver::Worker::give_spilled(const Item& item, Buffer& buffer) {
  clock_.enter(Stage::kSha1);
  visitor_.on_large_begin(item.pack, {item.entry}, ObjectType::kBlob, buffer.size());
  read_in_pieces(buffer, [&](ByteView piece) { visitor_.on_large_piece(piece); });
  visitor_.on_large_end(true);
  clock_.enter(Stage::kOther);
}

void DeltaResolver::Worker::stream_whole(const Item& item, const Raw& raw) {
  visitor_.on_large_begin(item.pack, {item.entry}, type_of(item), raw.header.inflated_size);
  ZlibInflater inflater;
  Bytes window(std::size_t{256} << 10);
  clock_.enter(Stage::kInflate);
  auto used = inflate_in_pieces(inflater, raw.deflated, raw.header.inflated_size, window,
                                [&](ByteView piece) {
                                  clock_.enter(Stage::kSha1);
                                  visitor_.on_large_piece(piece);
                                  clock_.enter(Stage::kInflate);
                                });
  clock_.enter(Stage::kOther);
  if (used) check_end(item, raw, *used);
  visitor_.on_large_end(used.has_value());
  if (!used) {
    visitor_.on_fault(item.pack, {item.entry}, cannot_unpack(item, std::move(used.error())));
  }
}

void DeltaResolver::Worker::stream_pieces(const Delta& delta, Buffer& base) {
  PageDropper dropper({&base});
  DeltaCursor cursor(delta.program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    const ByteView from = operation.copy ? base.bytes() : delta.program;
    visitor_.on_large_piece(from.subspan(operation.offset, operation.size));
    dropper.touched(operation.size);
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
  if (!delta || delta->result_size < resolver_.limits_.stream_from) return false;
  // Nothing is hashed of a bad delta.
  if (!is_sound(*delta, item.base->size())) {
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
  if (!children.empty()) prefetch(stack_.back());
}

void DeltaResolver::Worker::process(Item item) {
  const ResolvePack& pack = pack_of(item);
  // What is kept in the order of ids is nowhere near; it comes while the entry is read.
  if (resolver_.limits_.check_crc && pack.index->has_crc()) {
    pack.index->prefetch_crc(pack.forest->index_position({item.entry}));
  }
  visitor_.on_coming(item.pack, {item.entry});
  const PackOffset offset = pack.forest->offset({item.entry});
  const ByteView following = reader_.read(*pack.pack, offset, pack.forest->end({item.entry}));
  const ByteView bytes = following.first(
      static_cast<std::size_t>(pack.forest->end({item.entry}).value - offset.value));
  if (resolver_.limits_.check_crc) {
    clock_.enter(Stage::kChecksums);
    if (auto wrong = check_entry_crc(pack, {item.entry}, bytes)) {
      visitor_.on_fault(item.pack, {item.entry}, std::move(*wrong));
    }
    clock_.enter(Stage::kOther);
  }
  const auto header = pack.pack->entry_header(offset, following);
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
  const Raw raw{*header, offset.value + header->header_size, deflated, deflated.size()};
  if (!stream(item, raw)) {
    ByteView program;
    auto buffer = unpack(item, raw, program);
    if (!buffer) unpack_across(item, raw, program, buffer);
    if (!buffer) unpack_spilled(item, raw, buffer);
    clock_.enter(Stage::kOther);
    if (!buffer) {
      visitor_.on_fault(item.pack, {item.entry}, cannot_unpack(item, std::move(buffer.error())));
      park_descendants(item);
    } else if ((*buffer)->is_spilled()) {
      give_spilled(item, **buffer);
      push_children(item, *buffer);
      pool_.release(std::move(*buffer));
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
  resolver_.note_deflated(bytes.size());
  pool_.release(std::move(program_));
  if (item.base) item.base->drop_pages();
  pool_.release(std::move(item.base));
}

}  // namespace assay
