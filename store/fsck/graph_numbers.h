// GraphNumbers: numbers for all objects that the graph speaks of. Those of the object table keep
// theirs; ids that have no file, but to which something links, follow in the order of ids.
//
// Immutable; thread safety: const members may be used from any thread.
#pragma once

#include <algorithm>
#include <vector>

#include "store/fsck/link_ledger.h"
#include "store/fsck/root_table.h"

namespace assay {

class GraphNumbers {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Absent {
    ObjectId id;
    ObjectType type = ObjectType::kUnknown;  // as who links to it says; the first if they differ
    friend bool operator<(const Absent& a, const Absent& b) {
      return a.id != b.id ? a.id < b.id : a.type < b.type;
    }
  };

  // Takes the missing targets of all links, and what index files demand.
  GraphNumbers(const LinkLedger& ledger, const RootTable& roots) : table_(ledger.table()) {
    for (const MissingLink& link : ledger.missing()) absent_.push_back({link.target, link.type});
    for (const auto& [id, type] : roots.demanded()) {
      if (table_.find(id) == ObjectTable::kAbsent) absent_.push_back({id, type});
    }
    std::sort(absent_.begin(), absent_.end());
    absent_.erase(std::unique(absent_.begin(), absent_.end(),
                              [](const Absent& a, const Absent& b) { return a.id == b.id; }),
                  absent_.end());
  }

  std::uint32_t count() const { return table_.size() + static_cast<std::uint32_t>(absent_.size()); }
  std::uint32_t present_count() const { return table_.size(); }
  bool is_absent(std::uint32_t number) const { return number >= table_.size(); }
  const Absent& absent(std::uint32_t number) const { return absent_[number - table_.size()]; }
  ObjectId id(std::uint32_t number) const {
    return is_absent(number) ? absent(number).id : table_.id(number);
  }
  std::uint32_t find(const ObjectId& id) const {
    const std::uint32_t number = table_.find(id);
    if (number != ObjectTable::kAbsent) return number;
    const auto found = std::lower_bound(absent_.begin(), absent_.end(), Absent{id, {}});
    if (found == absent_.end() || found->id != id) return kNone;
    return table_.size() + static_cast<std::uint32_t>(found - absent_.begin());
  }

 private:
  const ObjectTable& table_;
  std::vector<Absent> absent_;
};

}  // namespace assay
