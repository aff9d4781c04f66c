#include "store/fsck/check_mtimes.h"

#include <fmt/format.h>

#include "store/fsck/fault_reporter.h"
#include "store/fsck/map_file.h"
#include "store/fsck/phases.h"
#include "store/object/file_checksum.h"
#include "store/pack/mtimes.h"

namespace assay {

void check_mtimes(const Storage& storage, const std::vector<PackFolder>& folders,
                  const Policy& policy, FindingSink& findings) {
  FaultReporter reporter(policy, findings, kPhaseMtimes);
  const PacksByPath packs = packs_by_path(storage);
  for (const PackFolder& folder : folders) {
    for (const std::string& stem : folder.stems()) {
      const auto pack = packs.find(folder.shown + "/" + stem + ".pack");
      if (pack == packs.end() || !folder.has(stem, ".mtimes")) continue;
      const std::string shown = folder.shown + "/" + stem + ".mtimes";
      const auto report = [&](std::string_view what) {
        reporter.report(MessageId::kMtimesBad, fmt::format("mtimes file {} {}", shown, what));
      };
      reporter.enter_file(shown);
      const auto mapped = map_file(storage.system(), folder.path + "/" + stem + ".mtimes");
      if (!mapped) {
        if (mapped.error().code != ENOENT) report("cannot be read: " + mapped.error().text());
        continue;
      }
      const PackIndex& index = *pack->second->index;
      const auto file = MtimesFile::parse(mapped->bytes(), storage.kind(), index.count(), shown);
      if (!file) {
        reporter.report(file.error());
      } else if (!checksum_holds(file->bytes(), storage.kind())) {
        report("has an invalid checksum");
      } else if (to_hex(file->pack_checksum()) != to_hex(index.pack_checksum())) {
        report("was made for pack " + to_hex(file->pack_checksum()));
      }
    }
  }
}

void check_satellites(const std::vector<PackFolder>& folders, const Policy& policy,
                      FindingSink& findings) {
  constexpr std::string_view kSuffixes[] = {".rev", ".bitmap", ".mtimes", ".keep", ".promisor"};
  FaultReporter reporter(policy, findings, kPhasePackFolders);
  for (const PackFolder& folder : folders) {
    for (const std::string& name : folder.names) {
      if (!name.starts_with("pack-")) continue;
      for (const std::string_view suffix : kSuffixes) {
        if (!name.ends_with(suffix)) continue;
        const std::string_view stem = std::string_view(name).substr(0, name.size() - suffix.size());
        // git writes .keep, .rev and the like before the pack, and the index last.
        if (folder.has(stem, ".pack") || folder.has(stem, ".idx")) continue;
        const std::string shown = folder.shown + "/" + name;
        reporter.enter_file(shown);
        reporter.report(MessageId::kSatelliteOrphan,
                        fmt::format("no corresponding .pack: {}", shown));
      }
    }
  }
}

}  // namespace assay
