// The door to the entries of one tree, for showing them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

struct ListedEntry {
  std::uint32_t mode = 0;
  std::string_view type;  // "tree", "blob", or "commit" for a gitlink
  ObjectId id;
  std::string_view name;  // borrows from the tree
};

// Returns: the entries in their order. Errors: kObjectNotParsed in git's words, "too-short tree
// object" and the like.
Result<std::vector<ListedEntry>> list_tree(ByteView tree, HashKind kind);

}  // namespace assay
