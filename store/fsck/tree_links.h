// TreeLinks: finds the links of a tree and what is unusual in it, from the whole tree or from its
// difference to its delta base.
//
// 97.8 % of the tree bytes of git's own repository are copied from a delta base. An entry that lies
// whole inside a copied range has been looked up, type-checked and judged when the base was; only
// entries that an insert or the seam of two copies touches are looked at. The result is the same
// as that of a full parse, on every tree whose base raised nothing: a base in which something was
// found passes nothing on.
//
// Thread safety: one a worker. A TreeInfo is written by one worker before others read it.
#pragma once

#include <vector>

#include "store/codec/delta.h"
#include "store/fsck/link_writer.h"
#include "store/fsck/rules/special_blobs.h"
#include "store/object/tree_entry.h"
#include "store/run/buffer.h"

namespace assay {

// What the deltas made against a tree need to know of it; tied to its buffer.
struct TreeInfo : BufferAttachment {
  std::uint32_t number = 0;            // the tree itself
  bool inheritable = false;            // nothing was found in it
  std::vector<std::uint32_t> starts;   // where each entry begins, and the end of the last
  std::vector<std::uint32_t> missing;  // starts of entries whose target has no file, ascending
};

class TreeLinks {
 public:
  struct Outcome {
    bool malformed = false;  // an entry could not be parsed; what comes before it counts
    bool unusual = false;    // the exact rules must look at the whole tree
  };

  TreeLinks(LinkWriter& links, SpecialBlobs& special, HashKind kind, std::size_t max_name_size)
      : links_(links), special_(special), kind_(kind), max_name_size_(max_name_size) {}

  // `counts`: this copy's links are those that count. `info`: null, or filled for the children;
  // then complete() must be called before a child is parsed.
  Outcome parse(std::uint32_t number, ByteView body, bool counts, TreeInfo* info);

  // As parse() of the same body. Requires: `body` is what `program` gave from the tree that `base`
  // describes, base.inheritable.
  Outcome parse_difference(std::uint32_t number, ByteView body, ByteView program,
                           const TreeInfo& base, bool counts, TreeInfo* info);

  // Does the lookups that wait, so that all of `info` is known.
  void complete(TreeInfo& info);

 private:
  struct Walk;

  void add_link(const TreeEntry& entry, std::uint32_t number, std::uint32_t offset, bool counts,
                TreeInfo* info);
  bool look_closer(const TreeEntry& entry) {
    const std::uint32_t quick = quick_problems(entry, max_name_size_);
    return quick != 0 && inspect(entry, quick);
  }
  bool inspect(const TreeEntry& entry, std::uint32_t quick);

  LinkWriter& links_;
  SpecialBlobs& special_;
  HashKind kind_;
  std::size_t max_name_size_;
  std::vector<std::uint32_t> scratch_starts_;  // of a tree that nobody derives from
};

}  // namespace assay
