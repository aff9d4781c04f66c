// The door to small questions about a repository: how many objects lie where, and whether bytes
// make a well-formed object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/repository.h"

namespace assay {

// What `count-objects -v` counts: the repository's own object directory, not its alternates.
struct ObjectCounts {
  std::uint64_t loose = 0;
  std::uint64_t loose_disk_size = 0;  // bytes allocated
  std::uint64_t in_packs = 0;
  std::uint64_t packs = 0;
  std::uint64_t packs_size = 0;      // of packs and indexes, bytes
  std::uint64_t prune_packable = 0;  // loose objects that some pack, also of an alternate, holds
  std::uint64_t garbage = 0;
  std::uint64_t garbage_size = 0;  // bytes
  // In git's words, "garbage found: PATH" and the like; one for each file counted as garbage.
  std::vector<std::string> garbage_messages;
  std::vector<std::string> alternates;  // paths of their object directories
};

// `verbose` false counts only loose objects, as git does.
ObjectCounts count_objects(const ObjectStore& store, bool verbose);

struct FormatCheck {
  std::vector<std::string> errors;  // git's lines without "error: "; none: well formed
  std::vector<std::string> notes;   // likewise, of blobs that a tree names; they do not count
};

// Judges the bytes by the rules of fsck, strictly, as hash-object and mktag do: whatever the rules
// report, even at severity info, makes the object unacceptable. The blobs that a tree calls
// .gitmodules or .gitattributes are judged by the way when there is a `store` to find them in.
FormatCheck check_object_format(ObjectType type, ByteView content, HashKind kind,
                                const ObjectStore* store = nullptr);

}  // namespace assay
