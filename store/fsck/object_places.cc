#include "store/fsck/object_places.h"

#include <fmt/format.h>

namespace assay {
namespace {

ObjectPlace loose_place(const Storage& storage, const StoredFanout& fanout, std::size_t position) {
  return {fmt::format("{}/{}/{}", storage.directories()[fanout.directory].shown_path,
                      fanout_name(fanout.fanout), fanout.objects[position].name),
          Fault::kNoOffset};
}

}  // namespace

ObjectPlace place_of(const Storage& storage, const LinkLedger& ledger, const ObjectId& id) {
  ObjectPlace first_bad;
  for (const StoredPack& pack : storage.packs()) {
    const auto position = pack.index->find(id.data());
    if (!position) continue;
    const auto offset = pack.index->offset(*position);
    ObjectPlace place{pack.pack->path(), offset ? offset->value : Fault::kNoOffset};
    const auto entry = offset ? pack.forest.find(*offset) : std::nullopt;
    if (entry && !ledger.is_bad_copy({pack.file, entry->value})) return place;
    if (first_bad.file.empty()) first_bad = std::move(place);
  }
  for (const StoredFanout& fanout : storage.fanouts()) {
    const auto position = fanout.find(id);
    if (!position) continue;
    ObjectPlace place = loose_place(storage, fanout, *position);
    const auto item = fanout.first_item + static_cast<std::uint32_t>(*position);
    if (!ledger.is_bad_copy({fanout.file, item})) return place;
    if (first_bad.file.empty()) first_bad = std::move(place);
  }
  return first_bad;
}

ObjectPlace place_of(const Storage& storage, const CopyKey& copy) {
  for (const StoredPack& pack : storage.packs()) {
    if (pack.file == copy.file) {
      return {pack.pack->path(), pack.forest.offset({copy.item}).value};
    }
  }
  for (const StoredFanout& fanout : storage.fanouts()) {
    // Smaller items wrap to large positions.
    const std::uint32_t position = copy.item - fanout.first_item;
    if (fanout.file == copy.file && position < fanout.objects.size()) {
      return loose_place(storage, fanout, position);
    }
  }
  return {};
}

}  // namespace assay
