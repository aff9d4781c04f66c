// The door to verify-pack: one pack and its index, without a repository around them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/os/system.h"
#include "store/report/finding.h"

namespace assay {

struct VerifyPackOptions {
  HashKind kind = HashKind::kSha1;
  bool list_entries = false;
  unsigned threads = 1;
  std::uint64_t memory = std::uint64_t{256} << 20;  // bytes for objects under way
  std::string temporary_directory = "/tmp";         // for blobs that memory has no room for
};

struct PackEntryInfo {
  ObjectId id;
  ObjectType type = ObjectType::kUnknown;
  std::uint64_t size = 0;          // bytes of the object, or of its delta
  std::uint64_t size_in_pack = 0;  // bytes up to the next entry
  std::uint64_t offset = 0;
  std::uint32_t depth = 0;  // deltas between it and a whole object
  std::optional<ObjectId> base;
};

struct VerifyPackReport {
  std::vector<Finding> findings;       // in canonical order
  std::vector<PackEntryInfo> entries;  // by offset, when asked for
  bool ok() const { return findings.empty(); }
};

// Verifies PATH.pack against PATH.idx; `path` may end in either suffix or in none. Every entry is
// unpacked and rehashed, checksums, CRCs, the order of the index and gaps between entries are
// checked. What objects mean and link to is not looked at.
VerifyPackReport verify_pack(os::System& system, const std::string& path,
                             const VerifyPackOptions& options);

}  // namespace assay
