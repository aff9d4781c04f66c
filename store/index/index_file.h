// The index file (staging area), versions 2 to 4: gitformat-index(5).
//
// Parsing checks everything that git checks before it would use the file: signature, version,
// trailing checksum (all zero: not written, accepted), entry order, extensions. Every length is
// checked against the bytes that are there. Errors: kIndexFileBad in git's words; git dies there.
// Paths borrow nothing: an IndexFile owns its data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/index/cache_tree.h"
#include "store/index/resolve_undo.h"
#include "store/report/fault.h"

namespace assay {

struct IndexEntry {
  ObjectId id;
  std::uint32_t mode = 0;  // 0100644, 0100755, 0120000, 0160000, 040000 (sparse directory)
  std::uint8_t stage = 0;  // 0, or 1 to 3 while a merge is unfinished
  bool skip_worktree = false;
  bool intent_to_add = false;
  bool assume_valid = false;
  std::string path;  // ends in "/" for a sparse directory

  bool is_gitlink() const { return (mode & 0170000) == 0160000; }
  bool is_sparse_directory() const { return (mode & 0170000) == 0040000; }
};

// The `link` extension: this file holds only the differences to a shared index file.
struct SplitIndexLink {
  ObjectId base;                        // names sharedindex.<id>; null: there is no shared index
  std::vector<std::uint32_t> deleted;   // positions in the shared index, ascending
  std::vector<std::uint32_t> replaced;  // likewise; the first entries here replace them
};

struct IndexFile {
  std::uint32_t version = 0;
  std::vector<IndexEntry> entries;
  std::optional<CacheTree> cache_tree;
  std::vector<ResolveUndoEntry> resolve_undo;
  std::optional<SplitIndexLink> link;
  bool is_sparse = false;  // the `sdir` extension is there
  ObjectId checksum;       // as the file says
};

struct IndexParseOptions {
  HashKind kind = HashKind::kSha1;
  // Entries are checked for order; a split index can only be checked after merging.
  bool check_order = true;
  bool check_checksum = true;
};

Result<IndexFile> parse_index_file(ByteView bytes, const IndexParseOptions& options);

// Replaces the split index by the whole one. `shared_file` names the shared index in faults.
Result<IndexFile> merge_split_index(IndexFile split, const IndexFile& shared);

// Returns: the first fault in the order of entries, in git's words.
std::optional<Fault> check_index_order(const std::vector<IndexEntry>& entries);

}  // namespace assay
