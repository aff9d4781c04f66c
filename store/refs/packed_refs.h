// The file packed-refs: many refs in one file, sorted by name (git-pack-refs(1)).
//
//   # pack-refs with: peeled fully-peeled sorted
//   <id> <name>
//   ^<id>          the object that the annotated tag above peels to
//
// Reading is as git reads: without a header (old versions) all is well. What git dies of is a
// fault; the refs before it are kept. store/fsck/check_packed_refs.h judges names and lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

// How the first line begins, if there is one of that kind.
constexpr std::string_view kPackedRefsHeader = "# pack-refs with: ";

struct PackedRef {
  std::string name;
  ObjectId id;
  std::optional<ObjectId> peeled;
  std::uint32_t line = 0;  // from 1
};

struct PackedRefs {
  std::vector<PackedRef> refs;  // by name; equal names in the order of the file
  bool peeled = false;
  bool fully_peeled = false;
  bool sorted = false;
  std::optional<Fault> fault;  // the first line that git would die of, in git's words

  // Returns: the ref of that name, or null. Lives as long as this.
  const PackedRef* find(std::string_view name) const;
};

// Never fails: what is wrong is in `fault`. `file` is used in the text of it.
PackedRefs parse_packed_refs(ByteView bytes, HashKind kind, std::string_view file = "packed-refs");

// Bytes; a larger file is refused (git maps it; ours is read whole).
constexpr std::uint64_t kMaxPackedRefsSize = std::uint64_t{1} << 30;

}  // namespace assay
