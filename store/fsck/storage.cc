#include "store/fsck/storage.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

bool has_suffix(const std::string& text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

constexpr std::string_view kIndexSuffix = ".idx";

}  // namespace

std::unique_ptr<Storage> Storage::load(os::System& system,
                                       const std::vector<ObjectDirectoryPath>& directories,
                                       const Options& options, const Policy& policy,
                                       FindingSink& problems) {
  std::unique_ptr<Storage> storage(new Storage(system, options));
  storage->directories_ = directories;
  for (std::uint32_t i = 0; i < directories.size(); ++i) storage->list_loose(i, policy, problems);
  for (std::uint32_t i = 0; i < directories.size(); ++i) storage->list_packs(i, policy, problems);
  storage->build_table();
  return storage;
}

std::unique_ptr<Storage> Storage::load_pack_alone(os::System& system, const std::string& stem,
                                                  const Options& options, const Policy& policy,
                                                  FindingSink& problems) {
  std::unique_ptr<Storage> storage(new Storage(system, options));
  StoredPack& pack = storage->packs_.emplace_back();
  if (!storage->load_pack(pack, stem, stem, policy, problems)) storage->packs_.pop_back();
  storage->build_table();
  return storage;
}

void Storage::report_storage_fault(Fault fault, ExitBit bit, const std::string& file,
                                   std::uint32_t phase, const Policy& policy,
                                   FindingSink& problems) {
  Finding finding;
  finding.id = fault.id;
  finding.severity = policy.severity(fault.id);
  finding.bit = bit;
  finding.file = file;
  finding.offset = fault.offset;
  finding.text = std::move(fault.text);
  finding.causes = std::move(fault.causes);
  // Before the objects of any file: what is wrong with files as a whole is said first.
  finding.order = {phase, 0, problem_count_++, 0};
  problems.add(std::move(finding));
}

void Storage::list_loose(std::uint32_t directory, const Policy& policy, FindingSink& problems) {
  const ObjectDirectoryPath& paths = directories_[directory];
  const auto file = static_cast<std::uint32_t>(files_.size());
  files_.push_back({paths.shown, false});
  const LooseDirectory loose(system_, paths.path, paths.shown, options_.kind);
  std::uint32_t item = 0;
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
    if (listing.objects.empty()) continue;
    StoredFanout& stored = fanouts_.emplace_back();
    stored.file = file;
    stored.directory = directory;
    stored.fanout = fanout;
    stored.first_item = item;
    stored.objects = std::move(listing.objects);
    stored.numbers.resize(stored.objects.size());
    item += static_cast<std::uint32_t>(stored.objects.size());
  }
}

void Storage::list_packs(std::uint32_t directory, const Policy& policy, FindingSink& problems) {
  const ObjectDirectoryPath& paths = directories_[directory];
  const std::string folder = paths.path + "/pack";
  const auto listed = system_.list(os::kCurrentDirectory, folder);
  if (!listed) {
    if (listed.error().code != ENOENT) {
      report_storage_fault(Fault(MessageId::kDirectoryUnreadable,
                                 fmt::format("unable to open object pack directory: {}/pack: {}",
                                             paths.shown, listed.error().text())),
                           ExitBit::kBitObject, paths.shown + "/pack", kPhasePacks, policy,
                           problems);
    }
    return;
  }
  std::set<std::string> names;
  for (const os::DirectoryEntry& entry : *listed) names.insert(entry.name);
  for (const std::string& name : names) {
    if (!has_suffix(name, kIndexSuffix)) {
      if (has_suffix(name, ".pack") && name.compare(0, 5, "pack-") == 0 &&
          !names.contains(name.substr(0, name.size() - 5) + ".idx")) {
        const std::string shown = paths.shown + "/pack/" + name;
        report_storage_fault(
            Fault(MessageId::kPackOrphan, fmt::format("no corresponding .idx: {}", shown)),
            ExitBit::kBitNone, shown, kPhasePacks, policy, problems);
      }
      continue;
    }
    const std::string stem = name.substr(0, name.size() - kIndexSuffix.size());
    const std::string shown_stem = paths.shown + "/pack/" + stem;
    if (!names.contains(stem + ".pack")) {
      report_storage_fault(Fault(MessageId::kPackIndexOrphan,
                                 fmt::format("no corresponding .pack: {}.idx", shown_stem)),
                           ExitBit::kBitNone, shown_stem + ".idx", kPhasePacks, policy, problems);
      continue;
    }
    StoredPack& pack = packs_.emplace_back();
    pack.promisor = options_.packs_are_promised && names.contains(stem + ".promisor");
    if (!load_pack(pack, folder + "/" + stem, shown_stem, policy, problems)) packs_.pop_back();
  }
}

bool Storage::load_pack(StoredPack& pack, const std::string& open_stem,
                        const std::string& shown_stem, const Policy& policy,
                        FindingSink& problems) {
  const std::string shown_pack = shown_stem + ".pack";
  pack.index_path = shown_stem + ".idx";
  const auto refuse = [&](Fault fault, const std::string& file) {
    report_storage_fault(std::move(fault), ExitBit::kBitPack, file, kPhasePacks, policy, problems);
    return false;
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
  if (options_.read_packs) {
    pack.forest = DeltaForest::build(*pack.pack, *pack.index, options_.threads);
  }
  return true;
}

void Storage::build_table() {
  std::vector<ObjectTable::IdRun> runs;
  for (StoredPack& pack : packs_) {
    if (pack.index->count() == 0) continue;
    const std::uint8_t* first = pack.index->raw_id({0});
    const std::size_t stride =
        pack.index->count() > 1 ? static_cast<std::size_t>(pack.index->raw_id({1}) - first) : 0;
    runs.push_back({first, stride, pack.index->count(), pack.numbers.data()});
  }
  for (StoredFanout& fanout : fanouts_) {
    runs.push_back({fanout.objects[0].id.data(), sizeof(LooseFile),
                    static_cast<std::uint32_t>(fanout.objects.size()), fanout.numbers.data()});
  }
  table_ = std::make_unique<ObjectTable>(options_.kind, runs);
}

std::uint64_t Storage::copy_count() const {
  std::uint64_t count = 0;
  for (const StoredPack& pack : packs_) count += pack.index->count();
  for (const StoredFanout& fanout : fanouts_) count += fanout.objects.size();
  return count;
}

std::vector<ObjectType> Storage::packed_types() const {
  std::vector<ObjectType> types(table_->size(), ObjectType::kUnknown);
  for (const StoredPack& pack : packs_) {
    for (std::uint32_t entry = 0; entry < pack.forest.size(); ++entry) {
      types[pack.numbers[pack.forest.index_position({entry}).value]] = pack.forest.type({entry});
    }
  }
  return types;
}

}  // namespace assay
