// The cache-tree extension of the index (TREE): ids of trees that the index entries would make.
// Source of the format: gitformat-index(5), "Cache tree".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"

namespace assay {

struct CacheTreeNode {
  std::string path;               // from the top, "" for the root, without a slash at the end
  std::int32_t entry_count = -1;  // index entries covered; negative: no longer valid, no id
  std::uint32_t subtree_count = 0;
  ObjectId id;
};

// Nodes in the order of the file: a tree before its subtrees.
struct CacheTree {
  std::vector<CacheTreeNode> nodes;
};

// Returns: nothing if the bytes are malformed (git then goes on as if there were no cache tree).
std::optional<CacheTree> parse_cache_tree(ByteView bytes, HashKind kind);

}  // namespace assay
