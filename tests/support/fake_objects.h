// An object database that holds what a test says, and a receiver of roots that remembers them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/fsck/object_view.h"

namespace assay::testing {

// Returns: an id of forty (or sixty-four) times the digit.
inline ObjectId id_of_digit(char digit, HashKind kind = HashKind::kSha1) {
  return *ObjectId::from_hex(std::string(id_hex_size(kind), digit), kind);
}

class FakeObjects : public ObjectView {
 public:
  void add(const ObjectId& id, ObjectType type) { types_[id] = type; }
  void promise(const ObjectId& id) { promised_.insert(id); }

  std::optional<ObjectType> type_of(const ObjectId& id) const override {
    const auto found = types_.find(id);
    if (found == types_.end()) return std::nullopt;
    return found->second;
  }
  bool is_promised(const ObjectId& id) const override { return promised_.contains(id); }

 private:
  std::map<ObjectId, ObjectType> types_;
  std::set<ObjectId> promised_;
};

class RecordedRoots : public RootSink {
 public:
  void add_root(const ObjectId& id, ObjectType type, const std::string& name) override {
    lines_.push_back(id.hex().substr(0, 4) + " " + std::string(type_name(type)) + " " + name);
  }
  // "abcd TYPE NAME", the id cut to four digits, in the order they came.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace assay::testing
