#include "store/odb/object_database.h"

#include <algorithm>
#include <unordered_set>

#include "store/object/object_header.h"

namespace assay {

ObjectDatabase::ObjectDatabase(os::System& system, const std::vector<ObjectSource>& sources,
                               HashKind kind)
    : system_(system), kind_(kind) {
  directories_.reserve(sources.size());
  for (const ObjectSource& source : sources) directories_.emplace_back(system, source, kind);
}

std::shared_ptr<const ObjectDatabase::Packs> ObjectDatabase::packs() const {
  {
    const std::lock_guard lock(mutex_);
    if (packs_ != nullptr) return packs_;
  }
  return reload_packs();
}

std::shared_ptr<const ObjectDatabase::Packs> ObjectDatabase::reload_packs() const {
  const std::lock_guard lock(mutex_);
  auto packs = std::make_shared<Packs>();
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    const PackList known = packs_ != nullptr ? packs_->by_directory[i] : PackList{};
    packs->by_directory.push_back(directories_[i].list_packs(known, packs->problems));
  }
  packs_ = packs;
  return packs;
}

std::vector<ObjectId> ObjectDatabase::all_ids() const {
  std::vector<ObjectId> ids;
  for (const ObjectDirectory& directory : directories_) {
    const std::vector<ObjectId> loose = directory.loose().all_ids();
    ids.insert(ids.end(), loose.begin(), loose.end());
  }
  for (const PackList& list : packs()->by_directory) {
    for (const auto& pack : list) {
      for (std::uint32_t i = 0; i < pack->index().count(); ++i) {
        ids.push_back(pack->index().id({i}));
      }
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::vector<ObjectId> ObjectDatabase::all_ids_in_storage_order() const {
  std::vector<ObjectId> ids;
  std::unordered_set<ObjectId, ObjectIdHash> seen;
  const auto add = [&](const ObjectId& id) {
    if (seen.insert(id).second) ids.push_back(id);
  };
  for (const ObjectDirectory& directory : directories_) {
    for (const ObjectId& id : directory.loose().all_ids()) add(id);
  }
  for (const PackList& list : packs()->by_directory) {
    for (const auto& pack : list) {
      for (const IndexPosition position : pack->offset_order().positions()) {
        add(pack->index().id(position));
      }
    }
  }
  return ids;
}

std::vector<ObjectId> ObjectDatabase::find_prefix(std::string_view prefix) const {
  std::string lower(prefix);
  for (char& c : lower) {
    if (hex_digit_value(c) < 0) return {};
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower.size() < 2 || lower.size() > id_hex_size(kind_)) return {};
  std::vector<ObjectId> ids;
  const auto fanout =
      static_cast<unsigned>(hex_digit_value(lower[0]) * 16 + hex_digit_value(lower[1]));
  for (const ObjectDirectory& directory : directories_) {
    for (const LooseFile& file : directory.loose().list(fanout).objects) {
      if (file.id.hex().starts_with(lower)) ids.push_back(file.id);
    }
  }
  for (const PackList& list : packs()->by_directory) {
    for (const auto& pack : list) {
      const auto [begin, end] = pack->index().find_prefix(lower);
      for (std::uint32_t i = begin; i < end; ++i) ids.push_back(pack->index().id({i}));
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace assay
