// RootTable: the objects from which reachability starts, in the order in which they were named, by
// object number; and the answers that the checks of refs, reflogs and index files ask for.
//
// Thread safety: none while roots are added.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "store/fsck/copy_reader.h"
#include "store/fsck/link_ledger.h"
#include "store/fsck/object_links.h"
#include "store/fsck/object_view.h"

namespace assay {

class RootTable : public RootSink {
 public:
  struct Root {
    ObjectId id;
    std::string name;  // empty when names are not kept, or the place gives none
  };

  // `keep_names`: what places call their objects will be asked for.
  RootTable(const LinkLedger& ledger, bool keep_names)
      : ledger_(ledger), keep_names_(keep_names), state_(ledger.table().size(), 0) {}

  void add_root(const ObjectId& id, ObjectType type, const std::string& name) override {
    const std::uint32_t number = ledger_.table().find(id);
    const bool named = keep_names_ && !name.empty();
    if (number != ObjectTable::kAbsent) {
      const ObjectType real = ledger_.present_type(number);
      // As git, which passes over an index entry that names an object of another type.
      if (type != ObjectType::kUnknown && real != ObjectType::kUnknown && real != type) return;
    }
    // Only an index file demands a type of something that may be absent.
    if (type != ObjectType::kUnknown) demanded_.emplace(id, type);
    if (number != ObjectTable::kAbsent) {
      const std::uint8_t wanted = named ? kRoot | kNamed : kRoot;
      if ((state_[number] & wanted) == wanted) return;
      state_[number] |= wanted;
    }
    roots_.push_back({id, named ? name : std::string()});
    if (named) names_.emplace(id, name);
  }
  std::string name_of(const ObjectId& id) const override {
    const auto found = names_.find(id);
    return found != names_.end() ? found->second : std::string();
  }

  bool keeps_names() const { return keep_names_; }
  bool is_root(std::uint32_t number) const { return state_[number] != 0; }
  // In order. An object that several places name is there at least for the first of them and for
  // the first that gives it a name.
  const std::vector<Root>& roots() const { return roots_; }
  // Ids with the type that an index file demands, present or not.
  const std::map<ObjectId, ObjectType>& demanded() const { return demanded_; }

 private:
  static constexpr std::uint8_t kRoot = 1;
  static constexpr std::uint8_t kNamed = 2;

  const LinkLedger& ledger_;
  bool keep_names_;
  std::vector<std::uint8_t> state_;
  std::vector<Root> roots_;
  std::map<ObjectId, ObjectType> demanded_;
  std::unordered_map<ObjectId, std::string, ObjectIdHash> names_;
};

using ObjectIdSet = std::unordered_set<ObjectId, ObjectIdHash>;

class VerifiedObjects : public ObjectView {
 public:
  // `unverified`: null, or reads the objects that were not verified, when they are asked for.
  // `believe_all`: every object that has a file is taken for present.
  // `listed`: whether a multi-pack-index names the object.
  VerifiedObjects(const LinkLedger& ledger, const ObjectIdSet& promised, CopyReader* unverified,
                  bool believe_all, std::function<bool(const ObjectId&)> listed)
      : ledger_(ledger),
        promised_(promised),
        unverified_(unverified),
        believe_all_(believe_all),
        listed_(std::move(listed)) {}

  std::optional<ObjectType> type_of(const ObjectId& id) const override {
    const std::uint32_t number = ledger_.table().find(id);
    if (number == ObjectTable::kAbsent || ledger_.is_unparsable(number)) return std::nullopt;
    if (unverified_ != nullptr) {
      const auto object = unverified_->read(number);
      return object && can_be_parsed(*object, id) ? std::optional(object->type) : std::nullopt;
    }
    const ObjectType type = ledger_.present_type(number);
    return type != ObjectType::kUnknown ? std::optional(type) : std::nullopt;
  }
  bool is_known(const ObjectId& id) const override {
    const std::uint32_t number = ledger_.table().find(id);
    if (number == ObjectTable::kAbsent) return false;
    return believe_all_ || ledger_.present_type(number) != ObjectType::kUnknown;
  }
  bool is_unreadable(const ObjectId& id) const override {
    const std::uint32_t number = ledger_.table().find(id);
    if (number == ObjectTable::kAbsent || type_of(id)) return false;
    if (ledger_.is_unreadable(number)) return true;
    if (unverified_ == nullptr || believe_all_) return false;
    bool dies = false;
    (void)unverified_->read_unchecked(number, dies);  // an empty file is no copy, and kills nobody
    return dies;
  }
  std::string parse_problem(const ObjectId& id) const override {
    const std::uint32_t number = ledger_.table().find(id);
    if (unverified_ == nullptr || believe_all_ || number == ObjectTable::kAbsent) return {};
    const auto object = unverified_->read(number);
    return object ? assay::parse_problem(*object, id) : std::string();
  }
  bool is_listed_elsewhere(const ObjectId& id) const override {
    return ledger_.table().find(id) == ObjectTable::kAbsent && listed_ && listed_(id);
  }
  bool is_promised(const ObjectId& id) const override { return promised_.contains(id); }

 private:
  const LinkLedger& ledger_;
  const ObjectIdSet& promised_;
  CopyReader* unverified_;
  bool believe_all_;
  std::function<bool(const ObjectId&)> listed_;
};

}  // namespace assay
