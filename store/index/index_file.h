// The index file (staging area), versions 2 to 4: gitformat-index(5).
//
// Parsing checks everything that git checks before it uses the file: signature, version, trailing
// checksum (all zero: not written, accepted), entries, extensions; and every length against the
// bytes that are there. Errors: kIndexFileBad in git's words; git dies there. A bad cache tree or
// resolve-undo is only noted: git goes on without it.
// An IndexFile owns its data. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/codec/ewah.h"
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
  bool is_sparse_directory() const { return mode == 0040000; }
};

// The `link` extension: this file holds only the differences to a shared index file.
struct SplitIndexLink {
  ObjectId base;        // of the file sharedindex.<id>; null: there is no shared index
  EwahBitmap deleted;   // positions in the shared index
  EwahBitmap replaced;  // likewise; the first entries here, which have no path, replace them
};

struct IndexFile {
  std::uint32_t version = 0;
  std::vector<IndexEntry> entries;
  std::optional<CacheTree> cache_tree;
  std::vector<ResolveUndoEntry> resolve_undo;
  std::optional<SplitIndexLink> link;
  bool is_sparse = false;  // the `sdir` extension is there
  ObjectId checksum;       // as the file says
  // What git puts up with: optional extensions that cannot be read, entries that tell a wrong size
  // of their names.
  std::vector<Fault> problems;
};

// `bytes` is the whole file. Order of entries is not checked here: a split index can only be
// checked when it is merged.
Result<IndexFile> parse_index_file(ByteView bytes, HashKind kind);

// Replaces the split index by the whole one. Requires: split.link.
// Errors: kIndexFileBad, when positions or names do not fit.
Result<IndexFile> merge_split_index(IndexFile split, const IndexFile& shared);

// Returns: the first fault in the order of entries, in git's words.
std::optional<Fault> check_index_order(const std::vector<IndexEntry>& entries);

}  // namespace assay
