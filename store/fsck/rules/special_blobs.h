// SpecialBlobs: the blobs that some tree calls .gitmodules or .gitattributes (aliases included).
// Their content is judged when all objects have been read, wherever they lie.
//
// Not thread safe: each worker has its own; merge() joins them.
#pragma once

#include <unordered_set>

#include "store/base/object_id.h"
#include "store/fsck/rules/rule_reporter.h"

namespace assay {

// What can be said of the blobs of one of the names. Requires: reporter.begin() was called for the
// blob.
struct SpecialBlobRules {
  void (*check)(ByteView body, RuleReporter& reporter);
  void (*report_large)(RuleReporter& reporter);     // too large to be held in memory
  void (*report_missing)(RuleReporter& reporter);   // nowhere, and promised by no remote
  void (*report_non_blob)(RuleReporter& reporter);  // an object of that name which is no blob
};

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
