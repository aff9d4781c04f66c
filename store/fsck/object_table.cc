#include "store/fsck/object_table.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

namespace assay {
namespace {

// One id on its way into the table.
struct Entry {
  const std::uint8_t* id;
  std::uint32_t* number;
};

bool is_ascending(const ObjectTable::IdRun& run, std::size_t id_size) {
  for (std::uint32_t i = 1; i < run.count; ++i) {
    const std::uint8_t* id = run.first + std::size_t{i} * run.stride;
    if (std::memcmp(id - run.stride, id, id_size) >= 0) return false;
  }
  return true;
}

}  // namespace

ObjectTable::ObjectTable(HashKind kind, const std::vector<IdRun>& runs)
    : kind_(kind), id_size_(assay::id_size(kind)) {
  std::size_t total = 0;
  for (const IdRun& run : runs) total += run.count;
  if (runs.size() == 1 && is_ascending(runs[0], id_size_)) {
    // One pack and nothing else, the usual case of a server: nothing to merge.
    const IdRun& run = runs[0];
    size_ = run.count;
    ids_.resize(total * id_size_);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      std::memcpy(ids_.data() + std::size_t{i} * id_size_, run.first + std::size_t{i} * run.stride,
                  id_size_);
    }
    if (run.numbers != nullptr) std::iota(run.numbers, run.numbers + run.count, 0u);
    fill_slots();
    return;
  }
  std::vector<Entry> entries;
  entries.reserve(total);
  for (const IdRun& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      entries.push_back({run.first + std::size_t{i} * run.stride,
                         run.numbers != nullptr ? run.numbers + i : nullptr});
    }
  }
  std::sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
    return std::memcmp(a.id, b.id, id_size_) < 0;
  });
  ids_.reserve(total * id_size_);
  for (const Entry& entry : entries) {
    if (size_ == 0 || std::memcmp(raw_id(size_ - 1), entry.id, id_size_) != 0) {
      ids_.insert(ids_.end(), entry.id, entry.id + id_size_);
      ++size_;
    }
    if (entry.number != nullptr) *entry.number = size_ - 1;
  }
  fill_slots();
}

void ObjectTable::fill_slots() {
  std::random_device random;
  for (std::uint64_t& key : keys_) key = (std::uint64_t{random()} << 32) | random();
  // At most half full.
  const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(2 * std::uint64_t{size_}, 16));
  mask_ = slots - 1;
  slots_.assign(static_cast<std::size_t>(slots), Slot{0, kAbsent});
  constexpr std::uint32_t kAhead = 16;
  for (std::uint32_t number = 0; number < size_; ++number) {
    if (number + kAhead < size_) {
      __builtin_prefetch(&slots_[hash(raw_id(number + kAhead)) & mask_], 1);
    }
    enter(number);
  }
}

void ObjectTable::enter(std::uint32_t number) {
  const std::uint64_t value = hash(raw_id(number));
  std::uint64_t at = value & mask_;
  while (slots_[at].number != kAbsent) at = (at + 1) & mask_;
  slots_[at] = {static_cast<std::uint32_t>(value >> 32), number};
}

void ObjectTable::append(const std::vector<IdRun>& runs) {
  for (const IdRun& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const std::uint8_t* raw = run.first + std::size_t{i} * run.stride;
      std::uint32_t number = find(raw);
      if (number == kAbsent) {
        number = size_++;
        ids_.insert(ids_.end(), raw, raw + id_size_);
        if (2 * std::uint64_t{size_} > slots_.size()) {
          fill_slots();
        } else {
          enter(number);
        }
      }
      if (run.numbers != nullptr) run.numbers[i] = number;
    }
  }
}

std::uint32_t ObjectTable::find_from(std::uint64_t hash, const std::uint8_t* raw_id) const {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.number == kAbsent) return kAbsent;
    if (slot.tag == tag && std::memcmp(this->raw_id(slot.number), raw_id, id_size_) == 0) {
      return slot.number;
    }
  }
}

}  // namespace assay
