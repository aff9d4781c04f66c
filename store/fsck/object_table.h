// ObjectTable: every object id of a run, numbered densely.
//
// Ids are sorted, so numbers follow the order of ids, but for those that were appended because they
// came while the run was under way. Lookup is by open addressing (8 bytes a slot: tag and number):
// halving takes 25 times as long on the 135 million links of git's own repository. The hash is
// keyed at random, so that an index full of made-up ids cannot slow it.
//
// Thread safety: built and appended to by one thread; in between it may be read from any thread.
#pragma once

#include <array>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/base/positions.h"

namespace assay {

class ObjectTable {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  // A run of ids, each id_size bytes, `stride` bytes apart.
  struct IdRun {
    const std::uint8_t* first = nullptr;
    std::size_t stride = 0;
    std::uint32_t count = 0;
    std::uint32_t* numbers = nullptr;  // when not null: receives the number of each id
  };

  // Takes the ids of all runs, each in ascending order or not, duplicates allowed.
  ObjectTable(HashKind kind, const std::vector<IdRun>& runs);

  // Adds the ids of the runs; those that are new get the next numbers.
  void append(const std::vector<IdRun>& runs);

  HashKind kind() const { return kind_; }
  std::uint32_t size() const { return size_; }
  const std::uint8_t* raw_id(std::uint32_t number) const {
    return ids_.data() + std::size_t{number} * id_size_;
  }
  ObjectId id(std::uint32_t number) const { return ObjectId::from_raw(raw_id(number), kind_); }

  // Returns: the number of the id, or kAbsent.
  std::uint32_t find(const std::uint8_t* raw_id) const { return find_from(hash(raw_id), raw_id); }
  std::uint32_t find(const ObjectId& id) const { return find(id.data()); }

  // Lookup in steps, so that many can be under way at once: prefetch what the next step reads.
  std::uint64_t hash(const std::uint8_t* raw_id) const {
    std::uint64_t a;
    std::uint64_t b;
    std::memcpy(&a, raw_id, 8);
    std::memcpy(&b, raw_id + 8, 8);
    return folded_product(a ^ keys_[0], b ^ keys_[1]);
  }
  void prefetch_slot(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  // Prefetches the id that the first slot of `hash` names.
  void prefetch_id(std::uint64_t hash) const {
    const std::uint32_t number = slots_[hash & mask_].number;
    if (number != kAbsent) __builtin_prefetch(raw_id(number));
  }
  std::uint32_t find_from(std::uint64_t hash, const std::uint8_t* raw_id) const;

 private:
  struct Slot {
    std::uint32_t tag;
    std::uint32_t number;
  };

  // Both halves of the product, so that every bit of either factor reaches every bit of the hash:
  // the low bits of a plain product know nothing of the high bits of its factors, and whoever makes
  // up ids could put them all in one slot.
  static std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    const std::uint64_t a_high = a >> 32;
    const std::uint64_t a_low = a & 0xffffffffu;
    const std::uint64_t b_high = b >> 32;
    const std::uint64_t b_low = b & 0xffffffffu;
    const std::uint64_t cross =
        (a_low * b_low >> 32) + (a_high * b_low & 0xffffffffu) + a_low * b_high;
    return (a * b) ^ (a_high * b_high + (a_high * b_low >> 32) + (cross >> 32));
#endif
  }

  void fill_slots();
  void enter(std::uint32_t number);

  HashKind kind_;
  std::size_t id_size_;
  std::uint32_t size_ = 0;
  std::vector<std::uint8_t> ids_;
  std::vector<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::array<std::uint64_t, 2> keys_{};
};

}  // namespace assay
