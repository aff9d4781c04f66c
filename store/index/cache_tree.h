// The cache-tree extension of the index (TREE): ids of the trees that the index entries make.
//
// A node: <name> NUL <entry count> SP <subtree count> LF [<id> unless the count is negative], then
// its subtrees. The root has an empty name.
// Source of the format: gitformat-index(5), "Cache tree".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"

namespace assay {

struct CacheTreeNode {
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  std::string name;                // one component
  std::size_t parent = kNoParent;  // position among the nodes; always before this one
  std::int32_t entry_count = -1;   // index entries covered; negative: no longer valid, no id
  std::uint32_t subtree_count = 0;
  ObjectId id;
};

// Nodes in the order of the file: a tree before its subtrees, which follow it depth first.
struct CacheTree {
  std::vector<CacheTreeNode> nodes;

  // Returns: the path of the node from the top, "" for the root.
  std::string path_of(std::size_t node) const;
};

// Returns: nothing if the bytes are malformed (git then goes on as if there were no cache tree).
std::optional<CacheTree> parse_cache_tree(ByteView bytes, HashKind kind);

}  // namespace assay
