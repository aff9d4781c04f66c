// DeltaForest: the entries of a pack by offset, and which entry is whose delta base. Built from
// entry headers alone, before anything is inflated, so bases that are missing and cycles are known
// from the start, and the type of every object too (a delta has the type of its base).
//
// Thread safety: immutable once built.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/pack/pack_file.h"
#include "store/pack/pack_index.h"

namespace assay {

class DeltaForest {
 public:
  // An entry is named by its PackPosition: its rank by offset among the entries the index names.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct EntryFault {
    std::uint32_t entry = kNone;  // kNone when its offset is outside the pack
    IndexPosition index_position;
    PackOffset offset;
    Fault fault;
  };

  // Never fails as a whole: what is wrong with single entries is listed in faults().
  static DeltaForest build(const PackFile& pack, const PackIndex& index, unsigned threads);

  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size()); }
  PackOffset offset(PackPosition entry) const { return {offsets_[entry.value]}; }
  // Returns: the entry that begins there, or nothing.
  std::optional<PackPosition> find(PackOffset offset) const;
  // Where the next entry begins (the end of entries for the last one).
  PackOffset end(PackPosition entry) const;
  IndexPosition index_position(PackPosition entry) const { return {index_positions_[entry.value]}; }
  // Of all entries, in the order of their offsets.
  const std::vector<std::uint32_t>& index_positions() const { return index_positions_; }
  // kUnknown when the chain of bases does not end in a whole object.
  ObjectType type(PackPosition entry) const { return static_cast<ObjectType>(types_[entry.value]); }
  // Returns: the delta base, kNone for an entry that is no delta or has no base in this pack.
  std::uint32_t base(PackPosition entry) const { return bases_[entry.value]; }
  // The deltas made against this entry, the one with the fewest descendants first.
  std::span<const std::uint32_t> children(PackPosition entry) const {
    return {child_list_.data() + child_begin_[entry.value],
            child_list_.data() + child_begin_[entry.value + 1]};
  }

  // Brings into the cache what is known of an entry: the order of the forest is not that of memory.
  void prefetch(PackPosition entry) const {
    __builtin_prefetch(&offsets_[entry.value]);
    __builtin_prefetch(&index_positions_[entry.value]);
    __builtin_prefetch(&child_begin_[entry.value]);
  }

  // Entries that are no deltas, those with the most work below them first.
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  // Deltas whose base is not in this pack.
  const std::vector<std::uint32_t>& baseless() const { return baseless_; }
  // Entries that are, through their bases, deltas of themselves, or of such an entry.
  const std::vector<std::uint32_t>& cyclic() const { return cyclic_; }
  const std::vector<EntryFault>& faults() const { return faults_; }

 private:
  void sort_by_offset(const PackFile& pack, const PackIndex& index);
  void read_headers(const PackFile& pack, const PackIndex& index, unsigned threads,
                    std::vector<std::uint64_t>& weights);
  void link_children();
  void order_by_weight(std::vector<std::uint64_t>& weights);

  std::uint64_t end_of_entries_ = 0;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> index_positions_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::uint8_t> types_;
  std::vector<std::uint32_t> child_begin_;
  std::vector<std::uint32_t> child_list_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> baseless_;
  std::vector<std::uint32_t> cyclic_;
  std::vector<EntryFault> faults_;
};

}  // namespace assay
