#include "store/odb/object_directory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::string_view kIndexSuffix = ".idx";

}  // namespace

Result<std::shared_ptr<const OpenPack>> OpenPack::open(os::System& system, const std::string& stem,
                                                       const std::string& shown_stem,
                                                       HashKind kind) {
  std::shared_ptr<OpenPack> pack(new OpenPack);
  pack->system_ = &system;
  pack->stem_ = stem;
  pack->shown_stem_ = shown_stem;
  const std::string path = stem + std::string(kIndexSuffix);
  const std::string shown_path = shown_stem + std::string(kIndexSuffix);
  const auto unreadable = [&](os::Error error) {
    return fault(MessageId::kPackIndexBad,
                 fmt::format("unable to open {}: {}", shown_path, error.text()));
  };
  // Pack files may be symbolic links: shared checkouts rely on it.
  auto file = system.open(os::kCurrentDirectory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return unreadable(file.error());
  auto mapped = os::MappedFile::map(system, *file);
  if (!mapped) return unreadable(mapped.error());
  pack->index_file_ = std::move(*mapped);
  auto index = PackIndex::parse(pack->index_file_.bytes(), kind, shown_path);
  if (!index) return tl::unexpected(index.error());
  pack->index_ = std::move(*index);
  return std::shared_ptr<const OpenPack>(std::move(pack));
}

Result<const PackFile*> OpenPack::pack() const {
  std::call_once(pack_once_, [this] {
    const std::string shown_path = shown_stem_ + ".pack";
    pack_ = PackFile::open(*system_, stem_ + ".pack", index_->kind(), shown_path);
    if (pack_ && pack_->declared_count() != index_->count()) {
      pack_ = fault(MessageId::kPackBad,
                    fmt::format("packfile {} claims to have {} objects while index indicates {} "
                                "objects",
                                shown_path, pack_->declared_count(), index_->count()));
    }
  });
  if (!pack_) return tl::unexpected(pack_.error());
  return &*pack_;
}

std::uint64_t OpenPack::entry_size(PackOffset offset) const {
  const auto next = offset_order().next(offset);
  const std::uint64_t end = next ? next->value : pack_->end_of_entries();
  return end > offset.value ? end - offset.value : 0;
}

const OffsetOrder& OpenPack::offset_order() const {
  std::call_once(order_once_, [this] { order_ = OffsetOrder::build(*index_); });
  return order_;
}

ObjectDirectory::ObjectDirectory(os::System& system, ObjectSource source, HashKind kind)
    : system_(system), source_(std::move(source)), kind_(kind) {}

PackList ObjectDirectory::list_packs(const PackList& known, std::vector<Fault>& problems) const {
  PackList packs;
  const auto entries = system_.list(os::kCurrentDirectory, source_.path + "/pack");
  if (!entries) return packs;  // a directory without packs
  std::vector<std::string> names;
  for (const os::DirectoryEntry& entry : *entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  for (std::string name : names) {
    if (!name.ends_with(kIndexSuffix)) continue;
    name.resize(name.size() - kIndexSuffix.size());
    // An index whose pack is gone, or not there yet, says nothing.
    if (!std::binary_search(names.begin(), names.end(), name + ".pack")) continue;
    const std::string stem = fmt::format("{}/pack/{}", source_.path, name);
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& pack) { return pack->stem() == stem; });
    if (found != known.end()) {
      packs.push_back(*found);
      continue;
    }
    auto pack =
        OpenPack::open(system_, stem, fmt::format("{}/pack/{}", source_.shown_path, name), kind_);
    if (pack) {
      packs.push_back(std::move(*pack));
    } else {
      problems.push_back(pack.error());
    }
  }
  return packs;
}

LooseDirectory ObjectDirectory::loose() const {
  return {system_, source_.path, source_.shown_path, kind_};
}

LoosePlace ObjectDirectory::loose_place(const ObjectId& id) const {
  LoosePlace place;
  place.name = source_.path + "/" + loose_file_path(id);
  place.path = source_.shown_path + "/" + loose_file_path(id);
  place.id = id;
  // Readers follow links, as git does; only a checker asks about them.
  place.follow_symlink = true;
  return place;
}

bool ObjectDirectory::has_loose(const ObjectId& id) const {
  return system_.status_at(os::kCurrentDirectory, source_.path + "/" + loose_file_path(id), true)
      .has_value();
}

}  // namespace assay
