// LinkWriter: one worker's way into the LinkLedger. Lookups are gathered and done many at a time,
// so that their cache misses overlap.
//
// Thread safety: one writer a worker.
#pragma once

#include <array>
#include <vector>

#include "store/fsck/link_ledger.h"

namespace assay {

class LinkWriter {
 public:
  static constexpr std::size_t kNotTraced = ~std::size_t{0};

  // `trace_limit`: words that the trace of this worker may have; 0 records none.
  explicit LinkWriter(LinkLedger& ledger, std::size_t trace_limit = 0)
      : ledger_(ledger), id_size_(id_size(ledger.table().kind())), trace_(trace_limit) {}

  // Where the links are recorded beside being counted, see LinkTrace.
  LinkTrace::Writer& trace() { return trace_; }

  // A link of `parent` to the object of that id. `offset` identifies the link within its parent;
  // when the target has no file, it is appended to `*missing` (if not null) by flush().
  // With `counts` false only that is done: another copy of the parent has counted the link.
  // `traced`: the place in the trace that is to receive the number of the target.
  void add(std::uint32_t parent, const std::uint8_t* raw_id, ObjectType type, bool counts,
           std::uint32_t offset = 0, std::vector<std::uint32_t>* missing = nullptr,
           std::size_t traced = kNotTraced) {
    Pending& pending = pending_[count_++];
    std::memcpy(pending.id.data(), raw_id, id_size_);
    pending.hash = ledger_.table().hash(raw_id);
    pending.parent = parent;
    pending.offset = offset;
    pending.type = type;
    pending.counts = counts;
    pending.missing = missing;
    pending.traced = traced;
    ledger_.table().prefetch_slot(pending.hash);
    if (count_ == pending_.size()) flush();
  }

  // Does the lookups that wait. To be called before a `missing` list is read or goes away.
  void flush();

  // Notes a link that is known to be missing, without a lookup.
  void add_missing(std::uint32_t parent, const std::uint8_t* raw_id, ObjectType type) {
    missing_.push_back({parent, ObjectId::from_raw(raw_id, ledger_.table().kind()), type});
  }

  // Hands everything over; the writer is empty afterwards.
  void finish() {
    flush();
    ledger_.add_missing(std::move(missing_));
    missing_.clear();
    ledger_.trace().take(std::move(trace_));
  }

 private:
  struct Pending {
    std::array<std::uint8_t, kMaxIdSize> id;
    std::uint64_t hash;
    std::uint32_t parent;
    std::uint32_t offset;
    ObjectType type;
    bool counts;
    std::vector<std::uint32_t>* missing;
    std::size_t traced;
  };

  LinkLedger& ledger_;
  std::size_t id_size_;
  std::size_t count_ = 0;
  std::array<Pending, 64> pending_;
  std::vector<MissingLink> missing_;
  LinkTrace::Writer trace_;
};

inline void LinkWriter::flush() {
  const ObjectTable& table = ledger_.table();
  for (std::size_t i = 0; i < count_; ++i) table.prefetch_id(pending_[i].hash);
  for (std::size_t i = 0; i < count_; ++i) {
    const Pending& pending = pending_[i];
    const std::uint32_t target = table.find_from(pending.hash, pending.id.data());
    if (target != ObjectTable::kAbsent) {
      if (pending.traced != kNotTraced) trace_.set_target(pending.traced, target);
      if (pending.counts) {
        ledger_.add_link(target, pending.type);
        if (ledger_.is_watched(target)) {
          ledger_.add_watched({pending.parent, target, pending.type});
        }
      }
      continue;
    }
    if (pending.counts) add_missing(pending.parent, pending.id.data(), pending.type);
    if (pending.missing != nullptr) pending.missing->push_back(pending.offset);
  }
  count_ = 0;
}

}  // namespace assay
