// The resolve-undo extension of the index (REUC): the stages of conflicts that were resolved.
// Source of the format: gitformat-index(5), "Resolve undo".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"

namespace assay {

struct ResolveUndoEntry {
  std::string path;
  std::array<std::uint32_t, 3> modes{};  // of stages 1 to 3; 0: that stage did not exist
  std::array<ObjectId, 3> ids{};         // valid where the mode is not 0
};

// Returns: nothing if the bytes are malformed (git says so and goes on without).
std::optional<std::vector<ResolveUndoEntry>> parse_resolve_undo(ByteView bytes, HashKind kind);

}  // namespace assay
