// SpecialBlobs: the blobs that some tree calls .gitmodules or .gitattributes (aliases included).
// Their content is judged when all objects have been read, wherever they lie.
//
// Not thread safe: each worker has its own; merge() joins them.
#pragma once

#include <unordered_set>

#include "store/base/object_id.h"

namespace assay {

class SpecialBlobs {
 public:
  using Ids = std::unordered_set<ObjectId, ObjectIdHash>;

  void add_gitmodules(const ObjectId& id) { gitmodules_.insert(id); }
  void add_gitattributes(const ObjectId& id) { gitattributes_.insert(id); }
  void merge(const SpecialBlobs& other) {
    gitmodules_.insert(other.gitmodules_.begin(), other.gitmodules_.end());
    gitattributes_.insert(other.gitattributes_.begin(), other.gitattributes_.end());
  }

  const Ids& gitmodules() const { return gitmodules_; }
  const Ids& gitattributes() const { return gitattributes_; }

 private:
  Ids gitmodules_;
  Ids gitattributes_;
};

}  // namespace assay
