// What the checks of refs, reflogs and index files need to know of the object database.
//
// The answers are those after every object was verified: an object whose only copies are damaged
// is absent. Thread safety: const, may be asked from any thread once verification has ended.
#pragma once

#include <optional>
#include <string>

#include "store/base/object_id.h"
#include "store/base/object_type.h"

namespace assay {

class ObjectView {
 public:
  virtual ~ObjectView() = default;
  // Returns: the type of the object if a good copy is present.
  virtual std::optional<ObjectType> type_of(const ObjectId& id) const = 0;
  // True for what the run takes for present: every object that was verified and found good.
  virtual bool is_known(const ObjectId& id) const { return type_of(id).has_value(); }
  // True when no copy is good and git dies when it reads the object by name: some copy cannot even
  // be unpacked.
  virtual bool is_unreadable(const ObjectId& id) const {
    (void)id;
    return false;
  }
  // Returns: why an object that was not verified cannot be parsed, in git's words; empty when it
  // was said already, or there is nothing to say.
  virtual std::string parse_problem(const ObjectId& id) const {
    (void)id;
    return {};
  }
  // True for an object that no index of a pack names but a multi-pack-index: git finds it there.
  virtual bool is_listed_elsewhere(const ObjectId& id) const {
    (void)id;
    return false;
  }
  // True for an absent object that a promisor remote has promised (partial clone).
  virtual bool is_promised(const ObjectId& id) const = 0;
};

// Receives the objects from which reachability starts.
class RootSink {
 public:
  virtual ~RootSink() = default;
  // `name` says where the root comes from: "refs/heads/main", "HEAD@{...}", ":path".
  // `type` is what the place demands (an index entry names a blob), kUnknown for any.
  virtual void add_root(const ObjectId& id, ObjectType type, const std::string& name) = 0;
  // Returns: the name that was given first, empty when names do not matter.
  virtual std::string name_of(const ObjectId& id) const {
    (void)id;
    return {};
  }
};

}  // namespace assay
