#include "store/fsck/storage.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "store/fsck/phases.h"
#include "store/os/follow_file.h"

namespace assay {
namespace {

constexpr std::string_view kIndexSuffix = ".idx";

// What git, or another program that keeps its formats, puts beside packs, for a moment or for good;
// and what is called after a pack, as somebody's copy of a file of it.
bool belongs_beside_packs(std::string_view name) {
  constexpr std::string_view kBegins[] = {"pack-", "multi-pack-index"};
  constexpr std::string_view kEnds[] = {".idx",    ".pack", ".rev",     ".bitmap",
                                        ".mtimes", ".keep", ".promisor"};
  return std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](std::string_view begin) { return name.starts_with(begin); }) ||
         std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return name.ends_with(end); }) ||
         is_work_in_progress(name);
}

}  // namespace

std::optional<std::size_t> StoredFanout::find(const ObjectId& id) const {
  if (fanout != id.data()[0]) return std::nullopt;
  const auto found = std::lower_bound(
      objects.begin(), objects.end(), id,
      [](const LooseFile& object, const ObjectId& wanted) { return object.id < wanted; });
  if (found == objects.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - objects.begin());
}

std::unique_ptr<Storage> Storage::load(os::System& system,
                                       const std::vector<ObjectSource>& directories,
                                       const Options& options, const Policy& policy,
                                       FindingSink& problems) {
  std::unique_ptr<Storage> storage(new Storage(system, options));
  storage->directories_ = directories;
  storage->loose_items_.resize(directories.size());
  for (const ObjectSource& paths : directories) {
    storage->files_.push_back({paths.shown_path, false});
  }
  // git writes a pack before it removes what is in it, so loose objects are listed first.
  for (std::uint32_t i = 0; i < directories.size(); ++i) {
    storage->list_loose(i, nullptr, policy, problems);
  }
  for (std::uint32_t i = 0; i < directories.size(); ++i) storage->list_packs(i, policy, problems);
  storage->number({});
  return storage;
}

void Storage::extend(const std::vector<std::uint32_t>& vanished, const Policy& policy,
                     FindingSink& problems) {
  const StorageExtent begin = extent();
  problem_count_ = 0;  // what is found again has the place that it had
  const NumberSet gone(vanished.begin(), vanished.end());
  for (std::uint32_t i = 0; i < directories_.size(); ++i) list_loose(i, &gone, policy, problems);
  for (std::uint32_t i = 0; i < directories_.size(); ++i) list_packs(i, policy, problems);
  number(begin);
}

void Storage::report_foreign(const std::string& path, std::uint32_t phase, const Policy& policy,
                             FindingSink& problems) {
  report_storage_fault(
      Fault(MessageId::kForeignFile, fmt::format("{} is no part of an object directory", path)),
      ExitBit::kBitNone, path, phase, policy, problems);
}

std::unique_ptr<Storage> Storage::load_pack_alone(os::System& system, const std::string& stem,
                                                  const Options& options, const Policy& policy,
                                                  FindingSink& problems) {
  std::unique_ptr<Storage> storage(new Storage(system, options));
  StoredPack& pack = storage->packs_.emplace_back();
  const Loaded loaded = storage->load_pack(pack, stem, stem, policy, problems);
  if (loaded != Loaded::kYes) storage->packs_.pop_back();
  storage->number({});
  return storage;
}

void Storage::report_storage_fault(Fault fault, ExitBit bit, const std::string& file,
                                   std::uint32_t phase, const Policy& policy,
                                   FindingSink& problems) {
  Finding finding = finding_of(std::move(fault), policy);
  finding.bit = bit;
  finding.file = file;
  // Before the objects of any file: what is wrong with files as a whole is said first.
  finding.order = {phase, 0, problem_count_++, 0};
  problems.add(std::move(finding));
}

void Storage::list_loose(std::uint32_t directory, const NumberSet* vanished, const Policy& policy,
                         FindingSink& problems) {
  const ObjectSource& paths = directories_[directory];
  const LooseDirectory loose(system_, paths.path, paths.shown_path, options_.kind);
  std::uint32_t& item = loose_items_[directory];
  for (const std::string& name : loose.foreign_names()) {
    report_foreign(paths.shown_path + "/" + name, kPhaseLoose, policy, problems);
  }
  for (unsigned fanout = 0; fanout < LooseDirectory::kFanoutCount; ++fanout) {
    LooseListing listing = loose.list(fanout);
    for (Fault& problem : listing.faults) {
      const ExitBit bit = message(problem.id).bit;
      report_storage_fault(std::move(problem), bit, loose.shown_directory(fanout), kPhaseLoose,
                           policy, problems);
    }
    for (const std::string& name : listing.foreign_names) {
      const std::string path = loose.shown_file(fanout, name);
      report_storage_fault(Fault(MessageId::kCruftFile, "bad sha1 file: " + path),
                           ExitBit::kBitNone, path, kPhaseLoose, policy, problems);
    }
    if (vanished != nullptr) {
      std::erase_if(listing.objects, [&](const LooseFile& object) {
        const std::uint32_t known = table_->find(object.id);
        return known != ObjectTable::kAbsent && !vanished->contains(known);
      });
    }
    if (listing.objects.empty()) continue;
    StoredFanout& stored = fanouts_.emplace_back();
    stored.file = directory;  // their files come first
    stored.directory = directory;
    stored.fanout = fanout;
    stored.first_item = item;
    stored.objects = std::move(listing.objects);
    stored.numbers.resize(stored.objects.size());
    item += static_cast<std::uint32_t>(stored.objects.size());
  }
}

void Storage::list_packs(std::uint32_t directory, const Policy& policy, FindingSink& problems) {
  // Each time a repack removed a pack before we came to open it.
  constexpr int kTries = 20;
  FindingList found;
  for (int tries = 0; tries < kTries; ++tries) {
    found.findings().clear();
    if (list_packs_once(directory, policy, found)) break;
  }
  for (Finding& finding : found.findings()) problems.add(std::move(finding));
}

bool Storage::list_packs_once(std::uint32_t directory, const Policy& policy,
                              FindingSink& problems) {
  const ObjectSource& paths = directories_[directory];
  const std::string folder = paths.path + "/pack";
  const auto listed = system_.list(os::kCurrentDirectory, folder);
  if (!listed) {
    if (listed.error().code != ENOENT) {
      report_storage_fault(Fault(MessageId::kDirectoryUnreadable,
                                 fmt::format("unable to open object pack directory: {}/pack: {}",
                                             paths.shown_path, listed.error().text())),
                           ExitBit::kBitObject, paths.shown_path + "/pack", kPhasePacks, policy,
                           problems);
    }
    return true;
  }
  std::set<std::string> names;
  for (const os::DirectoryEntry& entry : *listed) names.insert(entry.name);
  bool complete = true;
  for (const std::string& name : names) {
    if (!belongs_beside_packs(name)) {
      report_foreign(paths.shown_path + "/pack/" + name, kPhasePacks, policy, problems);
    }
    if (!name.ends_with(kIndexSuffix)) {
      if (name.ends_with(".pack") && name.starts_with("pack-") &&
          !names.contains(name.substr(0, name.size() - 5) + ".idx")) {
        const std::string shown = paths.shown_path + "/pack/" + name;
        report_storage_fault(
            Fault(MessageId::kPackOrphan, fmt::format("no corresponding .idx: {}", shown)),
            ExitBit::kBitNone, shown, kPhasePacks, policy, problems);
      }
      continue;
    }
    const std::string stem = name.substr(0, name.size() - kIndexSuffix.size());
    const std::string shown_stem = paths.shown_path + "/pack/" + stem;
    if (!names.contains(stem + ".pack")) {
      report_storage_fault(Fault(MessageId::kPackIndexOrphan,
                                 fmt::format("no corresponding .pack: {}.idx", shown_stem)),
                           ExitBit::kBitNone, shown_stem + ".idx", kPhasePacks, policy, problems);
      continue;
    }
    if (pack_stems_.contains(folder + "/" + stem)) continue;
    StoredPack& pack = packs_.emplace_back();
    pack.promisor = options_.packs_are_promised && names.contains(stem + ".promisor");
    const Loaded loaded = load_pack(pack, folder + "/" + stem, shown_stem, policy, problems);
    if (loaded != Loaded::kYes) packs_.pop_back();
    complete = complete && loaded != Loaded::kGone;
  }
  return complete;
}

Storage::Loaded Storage::load_pack(StoredPack& pack, const std::string& open_stem,
                                   const std::string& shown_stem, const Policy& policy,
                                   FindingSink& problems) {
  const std::string shown_pack = shown_stem + ".pack";
  pack.index_path = shown_stem + ".idx";
  const auto refuse = [&](Fault fault, const std::string& file) {
    for (const char* suffix : {".idx", ".pack"}) {
      const auto status = system_.status_at(os::kCurrentDirectory, open_stem + suffix, false);
      if (!status && os::is_missing(status.error()) && !directories_.empty()) return Loaded::kGone;
    }
    report_storage_fault(std::move(fault), ExitBit::kBitPack, file, kPhasePacks, policy, problems);
    return Loaded::kRefused;
  };
  auto fd =
      system_.open(os::kCurrentDirectory, open_stem + ".idx", O_RDONLY | O_NONBLOCK | O_NOCTTY);
  auto mapped = fd ? os::MappedFile::map(system_, *fd)
                   : os::OsResult<os::MappedFile>(tl::unexpected<os::Error>(fd.error()));
  if (!mapped) {
    return refuse(Fault(MessageId::kPackIndexBad, fmt::format("packfile {} index not opened: {}",
                                                              shown_pack, mapped.error().text())),
                  pack.index_path);
  }
  pack.index_file = std::move(*mapped);
  auto index = PackIndex::parse(pack.index_file.bytes(), options_.kind, pack.index_path);
  if (!index) return refuse(std::move(index.error()), pack.index_path);
  auto file = PackFile::open(system_, open_stem + ".pack", options_.kind, shown_pack);
  if (!file) return refuse(std::move(file.error()), shown_pack);
  if (file->declared_count() != index->count()) {
    return refuse(Fault(MessageId::kPackBad,
                        fmt::format("packfile {} claims to have {} objects while index indicates "
                                    "{} objects",
                                    shown_pack, file->declared_count(), index->count())),
                  shown_pack);
  }
  if (std::memcmp(file->trailer().data(), index->pack_checksum().data(), id_size(options_.kind)) !=
      0) {
    return refuse(
        Fault(MessageId::kPackBad, fmt::format("packfile {} does not match index", shown_pack)),
        shown_pack);
  }
  pack.index = *index;
  pack.pack = std::move(*file);
  pack.numbers.resize(index->count());
  pack.file = static_cast<std::uint32_t>(files_.size());
  files_.push_back({shown_pack, true});
  pack_stems_.insert(open_stem);
  if (options_.read_packs) {
    pack.forest = DeltaForest::build(*pack.pack, *pack.index, options_.threads);
  }
  return Loaded::kYes;
}

void Storage::number(StorageExtent begin) {
  std::vector<ObjectTable::IdRun> runs;
  for (std::size_t i = begin.packs; i < packs_.size(); ++i) {
    StoredPack& pack = packs_[i];
    if (pack.index->count() == 0) continue;
    const std::uint8_t* first = pack.index->raw_id({0});
    const std::size_t stride =
        pack.index->count() > 1 ? static_cast<std::size_t>(pack.index->raw_id({1}) - first) : 0;
    runs.push_back({first, stride, pack.index->count(), pack.numbers.data()});
  }
  for (std::size_t i = begin.fanouts; i < fanouts_.size(); ++i) {
    StoredFanout& fanout = fanouts_[i];
    runs.push_back({fanout.objects[0].id.data(), sizeof(LooseFile),
                    static_cast<std::uint32_t>(fanout.objects.size()), fanout.numbers.data()});
  }
  if (table_ == nullptr) {
    table_ = std::make_unique<ObjectTable>(options_.kind, runs);
  } else {
    table_->append(runs);
  }
}

std::uint64_t Storage::copy_count() const {
  std::uint64_t count = 0;
  for (const StoredPack& pack : packs_) count += pack.index->count();
  for (const StoredFanout& fanout : fanouts_) count += fanout.objects.size();
  return count;
}

}  // namespace assay
