// PackFolder: the names in objects/pack/, listed for the checks of what lies beside packs.
//
// Listed after the storage was loaded: a pack that is here but not in the storage was refused
// there, or has come since.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/fsck/storage.h"

namespace assay {

struct PackFolder {
  std::string path;   // to open: ".../objects/pack"
  std::string shown;  // in messages
  std::set<std::string> names;

  bool has(std::string_view stem, std::string_view suffix) const {
    return names.contains(std::string(stem).append(suffix));
  }
  // Returns: the names without ".idx" of all pairs of index and pack, sorted: git's packs.
  std::vector<std::string> stems() const;
};

// One for each object directory; without names when it cannot be listed.
std::vector<PackFolder> list_pack_folders(const Storage& storage);

// The packs of the storage by their shown path.
using PacksByPath = std::unordered_map<std::string, const StoredPack*>;
PacksByPath packs_by_path(const Storage& storage);

// Returns: index positions in the order of the entries of the pack.
std::vector<std::uint32_t> entry_order(const PackIndex& index);

}  // namespace assay
