#include "store/loose/loose_directory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace assay {
namespace {

// Returns: the id that the file's name and its fan-out directory spell together.
std::optional<ObjectId> id_of_file(unsigned fanout, const std::string& name, HashKind kind) {
  if (name.size() != id_hex_size(kind) - 2) return std::nullopt;
  return ObjectId::from_hex(fanout_name(fanout) + name, kind);
}

}  // namespace

LooseDirectory::LooseDirectory(os::System& system, std::string path, std::string shown_path,
                               HashKind kind)
    : system_(system), path_(std::move(path)), shown_path_(std::move(shown_path)), kind_(kind) {}

LooseListing LooseDirectory::list(unsigned fanout) const {
  LooseListing listing;
  const std::string path = directory_path(fanout);
  const int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK;
  auto directory = system_.open(os::kCurrentDirectory, path, flags | O_NOFOLLOW);
  // With O_DIRECTORY the kernel says ENOTDIR for a symbolic link, others say ELOOP.
  if (!directory && (directory.error().code == ELOOP || directory.error().code == ENOTDIR)) {
    const auto status = system_.status_at(os::kCurrentDirectory, path, false);
    if (status && status->kind == os::FileKind::kSymlink) {
      listing.faults.emplace_back(MessageId::kSymlinkInObjects,
                                  fmt::format("{} is a symbolic link", shown_directory(fanout)));
      directory = system_.open(os::kCurrentDirectory, path, flags);
    }
  }
  if (!directory && directory.error().code == ENOENT) return listing;
  const auto entries = directory ? system_.list(directory->get(), ".")
                                 : tl::unexpected<os::Error>(directory.error());
  if (!entries) {
    listing.faults.emplace_back(
        MessageId::kDirectoryUnreadable,
        fmt::format("unable to open {}: {}", shown_directory(fanout), entries.error().text()));
    return listing;
  }
  for (const os::DirectoryEntry& entry : *entries) {
    if (const auto id = id_of_file(fanout, entry.name, kind_)) {
      listing.objects.push_back({*id, entry.name});
    } else if (!entry.name.starts_with("tmp_obj_")) {
      listing.foreign_names.push_back(entry.name);
    }
  }
  std::sort(listing.objects.begin(), listing.objects.end(),
            [](const LooseFile& a, const LooseFile& b) {
              if (a.id != b.id) return a.id < b.id;
              return a.name < b.name;  // two spellings of one id
            });
  std::sort(listing.foreign_names.begin(), listing.foreign_names.end());
  listing.directory = std::move(*directory);
  return listing;
}

bool is_work_in_progress(std::string_view name) {
  constexpr std::string_view kBegins[] = {"tmp_", ".tmp-", "incoming-", ".nfs"};
  constexpr std::string_view kEnds[] = {".lock", "_tmp"};
  const bool known = std::any_of(std::begin(kBegins), std::end(kBegins),
                                 [&](std::string_view begin) { return name.starts_with(begin); }) ||
                     std::any_of(std::begin(kEnds), std::end(kEnds),
                                 [&](std::string_view end) { return name.ends_with(end); });
  if (known) return true;
  // As mkstemp(3) makes them: six letters or digits behind the rest.
  constexpr std::size_t kRandom = 6;
  if (name.size() < kRandom + 2 || name[name.size() - kRandom - 1] != '_') return false;
  return std::all_of(name.end() - kRandom, name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::vector<std::string> LooseDirectory::foreign_names() const {
  const auto is_ours = [](const std::string& name) {
    static constexpr std::string_view kNames[] = {"info", "pack", "loose-object-idx"};
    if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) return true;
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return (name.size() == 2 && is_hex(name[0]) && is_hex(name[1])) || is_work_in_progress(name);
  };
  std::vector<std::string> names;
  const auto entries = system_.list(os::kCurrentDirectory, path_);
  if (!entries) return names;
  for (const os::DirectoryEntry& entry : *entries) {
    if (!is_ours(entry.name)) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<ObjectId> LooseDirectory::all_ids() const {
  std::vector<ObjectId> ids;
  for (unsigned fanout = 0; fanout < kFanoutCount; ++fanout) {
    const auto entries = system_.list(os::kCurrentDirectory, directory_path(fanout));
    if (!entries) continue;
    const auto begin = static_cast<std::ptrdiff_t>(ids.size());
    for (const os::DirectoryEntry& entry : *entries) {
      if (const auto id = id_of_file(fanout, entry.name, kind_)) ids.push_back(*id);
    }
    std::sort(ids.begin() + begin, ids.end());
  }
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string LooseDirectory::directory_path(unsigned fanout) const {
  return path_ + "/" + fanout_name(fanout);
}

std::string LooseDirectory::shown_directory(unsigned fanout) const {
  return shown_path_ + "/" + fanout_name(fanout);
}

std::string LooseDirectory::shown_file(unsigned fanout, const std::string& name) const {
  return shown_directory(fanout) + "/" + name;
}

std::string loose_file_path(const ObjectId& id) {
  std::string hex = id.hex();
  hex.insert(2, 1, '/');
  return hex;
}

std::string fanout_name(unsigned fanout) {
  const auto byte = static_cast<std::uint8_t>(fanout);
  return to_hex({&byte, 1});
}

}  // namespace assay
