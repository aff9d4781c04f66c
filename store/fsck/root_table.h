// RootTable: the objects from which reachability starts, by object number; and the answers that
// the checks of refs, reflogs and index files ask for.
//
// Thread safety: none while roots are added.
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/fsck/link_ledger.h"
#include "store/fsck/object_view.h"

namespace assay {

class RootTable : public RootSink {
 public:
  explicit RootTable(const ObjectTable& table) : table_(table), is_root_(table.size(), false) {}

  void add_root(const ObjectId& id, ObjectType type, const std::string& name) override {
    (void)name;
    const std::uint32_t number = table_.find(id);
    if (number != ObjectTable::kAbsent) is_root_[number] = true;
    // Only an index file demands a type of something that may be absent.
    if (type != ObjectType::kUnknown) demanded_.emplace(id, type);
  }

  bool is_root(std::uint32_t number) const { return is_root_[number]; }
  // Ids with the type that an index file demands, present or not.
  const std::map<ObjectId, ObjectType>& demanded() const { return demanded_; }

 private:
  const ObjectTable& table_;
  std::vector<bool> is_root_;
  std::map<ObjectId, ObjectType> demanded_;
};

using ObjectIdSet = std::unordered_set<ObjectId, ObjectIdHash>;

class VerifiedObjects : public ObjectView {
 public:
  // `unverified`: empty, or the types that objects which nobody verified claim (kUnknown: none).
  VerifiedObjects(const LinkLedger& ledger, const ObjectIdSet& promised,
                  std::vector<ObjectType> unverified)
      : ledger_(ledger), promised_(promised), unverified_(std::move(unverified)) {}

  std::optional<ObjectType> type_of(const ObjectId& id) const override {
    const std::uint32_t number = ledger_.table().find(id);
    if (number == ObjectTable::kAbsent) return std::nullopt;
    ObjectType type = ledger_.present_type(number);
    if (type == ObjectType::kUnknown && !unverified_.empty()) type = unverified_[number];
    if (type == ObjectType::kUnknown || ledger_.is_unparsable(number)) return std::nullopt;
    return type;
  }
  bool is_unreadable(const ObjectId& id) const override {
    const std::uint32_t number = ledger_.table().find(id);
    return number != ObjectTable::kAbsent && !type_of(id) && ledger_.is_unreadable(number);
  }
  bool is_promised(const ObjectId& id) const override { return promised_.contains(id); }

 private:
  const LinkLedger& ledger_;
  const ObjectIdSet& promised_;
  std::vector<ObjectType> unverified_;
};

}  // namespace assay
