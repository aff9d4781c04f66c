// The trees that the entries of an index file make: what `git write-tree` would write.
//
// Source of the rules: gitformat-index(5), "Cache tree"; entries that are only announced (git add
// -N) are in no tree.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/index/index_file.h"

namespace assay {

struct IndexTree {
  ObjectId id;
  std::int32_t entry_count = 0;  // index entries below; 1 for a directory of a sparse index
  bool is_complete = true;       // false: holds unmerged or announced entries, so it has no id yet
};

// By path without a slash at the end, "" for the root.
using IndexTrees = std::map<std::string, IndexTree>;

// Requires: entries in order (check_index_order).
// Returns: nothing when directories are nested so deeply that their paths would take many times the
// memory of the entries.
std::optional<IndexTrees> trees_of_index(const std::vector<IndexEntry>& entries, HashKind kind);

}  // namespace assay
