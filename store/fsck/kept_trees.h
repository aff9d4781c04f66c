// KeptTrees: what a tree becomes when it goes through an index file.
//
// An index keeps five modes only. Trees of old gits and other programs spell them otherwise
// (100664, leading zeros); read-tree notes the id of the tree as it is, while its entries would
// make another. Thread safety: none.
#pragma once

#include <unordered_map>

#include "store/fsck/read_object.h"

namespace assay {

class KeptTrees {
 public:
  // `read` must outlive this.
  KeptTrees(HashKind kind, const ReadObject& read) : kind_(kind), read_(read) {}

  // Returns: the id of the tree with modes as an index keeps them, here and in all trees below;
  // nothing when one of them cannot be read, or when there are too many.
  std::optional<ObjectId> id_of(const ObjectId& tree) { return id_of(tree, 0); }

 private:
  std::optional<ObjectId> id_of(const ObjectId& tree, int depth);
  std::optional<ObjectId> make(const ObjectId& tree, int depth);

  HashKind kind_;
  const ReadObject& read_;
  std::unordered_map<ObjectId, std::optional<ObjectId>, ObjectIdHash> known_;
};

}  // namespace assay
