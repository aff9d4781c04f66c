// How many threads verify when nobody says.
#pragma once

#include "store/fsck/storage.h"

namespace assay {

// Files that keep one thread busy for so long that starting another is worth it, in bytes.
constexpr std::uint64_t kWorthAThread = std::uint64_t{256} << 10;

// Returns: one thread for each begun kWorthAThread of packs and loose objects, but at most `most`.
// Requires: most >= 1.
unsigned worthwhile_threads(const Storage& storage, unsigned most);

}  // namespace assay
