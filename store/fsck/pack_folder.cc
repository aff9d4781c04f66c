#include "store/fsck/pack_folder.h"

#include <algorithm>
#include <numeric>

namespace assay {

std::vector<std::string> PackFolder::stems() const {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (!name.ends_with(".idx")) continue;
    std::string stem = name.substr(0, name.size() - 4);
    if (has(stem, ".pack")) result.push_back(std::move(stem));
  }
  return result;
}

std::vector<PackFolder> list_pack_folders(const Storage& storage) {
  std::vector<PackFolder> folders;
  for (const ObjectSource& directory : storage.directories()) {
    PackFolder& folder = folders.emplace_back();
    folder.path = directory.path + "/pack";
    folder.shown = directory.shown_path + "/pack";
    const auto listed = storage.system().list(os::kCurrentDirectory, folder.path);
    if (!listed) continue;
    for (const os::DirectoryEntry& entry : *listed) folder.names.insert(entry.name);
  }
  return folders;
}

PacksByPath packs_by_path(const Storage& storage) {
  PacksByPath result;
  for (const StoredPack& pack : storage.packs()) result.emplace(pack.pack->path(), &pack);
  return result;
}

std::vector<std::uint32_t> entry_order(const PackIndex& index) {
  std::vector<std::uint64_t> offsets(index.count());
  for (std::uint32_t i = 0; i < index.count(); ++i) {
    // What points outside the table comes last, as no offset in a pack is as large.
    offsets[i] = index.offset({i}).value_or(PackOffset{~std::uint64_t{0}}).value;
  }
  std::vector<std::uint32_t> order(index.count());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return offsets[a] < offsets[b]; });
  return order;
}

}  // namespace assay
