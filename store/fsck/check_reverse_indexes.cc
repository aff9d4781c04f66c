#include "store/fsck/check_reverse_indexes.h"

#include <fmt/format.h>

#include <set>

#include "store/fsck/fault_reporter.h"
#include "store/fsck/map_file.h"
#include "store/fsck/phases.h"
#include "store/object/file_checksum.h"
#include "store/pack/reverse_index.h"

namespace assay {
namespace {

// Wrong positions that are listed one by one; a file of noise would give one for each object.
constexpr std::size_t kMostPositions = 1000;

class ReverseIndexChecker {
 public:
  ReverseIndexChecker(const Storage& storage, const Policy& policy, FindingSink& findings)
      : storage_(storage), reporter_(policy, findings, kPhaseReverseIndexes) {}

  void check(const PackFolder& folder, const std::string& stem, const StoredPack* stored);
  void check_unindexed(const PackFolder& folder, const std::string& stem);

 private:
  void check_file(const std::string& path, const std::string& shown_stem, const PackIndex& index,
                  const StoredPack* stored);
  void check_content(const ReverseIndex& file, const std::string& shown_stem,
                     const PackIndex& index, std::span<const std::uint32_t> order);
  void report_unloadable(const std::string& shown_stem, std::vector<std::string> causes);
  void report(MessageId id, std::string text, std::vector<std::string> causes);

  const Storage& storage_;
  FaultReporter reporter_;
};

void ReverseIndexChecker::report(MessageId id, std::string text, std::vector<std::string> causes) {
  Finding found = reporter_.finding(id, std::move(text));
  found.causes = std::move(causes);
  reporter_.report(std::move(found));
}

void ReverseIndexChecker::check(const PackFolder& folder, const std::string& stem,
                                const StoredPack* stored) {
  const std::string path = folder.path + "/" + stem;
  const std::string shown_stem = folder.shown + "/" + stem;
  reporter_.enter_file(shown_stem + ".rev");
  if (stored != nullptr) {
    if (folder.has(stem, ".rev")) check_file(path, shown_stem, *stored->index, stored);
    return;
  }
  // The storage has no use for this pack. git reads its reverse index all the same, and it counts
  // as bad when the index of the pack is.
  const auto mapped = map_file(storage_.system(), path + ".idx");
  if (!mapped && mapped.error().code == ENOENT) return;  // gone since it was listed
  const auto index = mapped
                         ? PackIndex::parse(mapped->bytes(), storage_.kind(), shown_stem + ".idx")
                         : fault(MessageId::kPackIndexBad, "");
  if (!index) {
    report_unloadable(shown_stem, {});
  } else if (folder.has(stem, ".rev")) {
    check_file(path, shown_stem, *index, nullptr);
  }
}

void ReverseIndexChecker::check_unindexed(const PackFolder& folder, const std::string& stem) {
  const std::string shown_stem = folder.shown + "/" + stem;
  reporter_.enter_file(shown_stem + ".rev");
  report_unloadable(shown_stem, {});
}

void ReverseIndexChecker::report_unloadable(const std::string& shown_stem,
                                            std::vector<std::string> causes) {
  report(MessageId::kReverseIndexBad,
         fmt::format("unable to load rev-index for pack '{}.pack'", shown_stem), std::move(causes));
}

void ReverseIndexChecker::check_file(const std::string& path, const std::string& shown_stem,
                                     const PackIndex& index, const StoredPack* stored) {
  const std::string shown = shown_stem + ".rev";
  const auto mapped = map_file(storage_.system(), path + ".rev");
  if (!mapped) {
    if (mapped.error().code == ENOENT) return;
    report(MessageId::kReverseIndexUntrue,
           fmt::format("reverse-index file {} cannot be read: {}", shown, mapped.error().text()),
           {});
    return;
  }
  auto file = ReverseIndex::parse(mapped->bytes(), storage_.kind(), index.count(), shown);
  if (!file) {
    report_unloadable(shown_stem, {std::move(file.error().text)});
    return;
  }
  if (stored != nullptr && stored->forest.size() == index.count()) {
    check_content(*file, shown_stem, index, stored->forest.index_positions());
  } else {
    check_content(*file, shown_stem, index, entry_order(index));
  }
}

void ReverseIndexChecker::check_content(const ReverseIndex& file, const std::string& shown_stem,
                                        const PackIndex& index,
                                        std::span<const std::uint32_t> order) {
  std::vector<std::string> causes;
  if (!checksum_holds(file.bytes(), storage_.kind())) causes.emplace_back("invalid checksum");
  std::size_t wrong = 0;
  for (PackPosition begin{0};;) {
    const auto position = file.first_difference(order, begin);
    if (!position) break;
    if (++wrong <= kMostPositions) {
      causes.push_back(fmt::format("invalid rev-index position at {}: {} != {}", position->value,
                                   order[position->value], file.at(*position).value));
    }
    begin.value = position->value + 1;
  }
  if (wrong > kMostPositions) {
    causes.push_back(
        fmt::format("{} more rev-index positions are invalid", wrong - kMostPositions));
  }
  const bool sound = causes.empty();
  if (!sound) {
    report(MessageId::kReverseIndexBad,
           fmt::format("invalid rev-index for pack '{}.pack'", shown_stem), std::move(causes));
    return;
  }
  const std::uint32_t hash_id = storage_.kind() == HashKind::kSha1 ? 1 : 2;
  if (file.hash_id() != hash_id) {
    report(MessageId::kReverseIndexUntrue,
           fmt::format("reverse-index file {}.rev has hash id {}, the repository {}", shown_stem,
                       file.hash_id(), hash_id),
           {});
  }
  if (to_hex(file.pack_checksum()) != to_hex(index.pack_checksum())) {
    report(MessageId::kReverseIndexUntrue,
           fmt::format("reverse-index file {}.rev was made for pack {}", shown_stem,
                       to_hex(file.pack_checksum())),
           {});
  }
}

}  // namespace

void check_reverse_indexes(const Storage& storage, const std::vector<PackFolder>& folders,
                           const Policy& policy, FindingSink& findings) {
  const PacksByPath packs = packs_by_path(storage);
  ReverseIndexChecker checker(storage, policy, findings);
  for (const PackFolder& folder : folders) {
    for (const std::string& stem : folder.stems()) {
      const auto stored = packs.find(folder.shown + "/" + stem + ".pack");
      checker.check(folder, stem, stored == packs.end() ? nullptr : stored->second);
    }
  }
}

void check_unindexed_packs(const Storage& storage, const std::vector<PackFolder>& folders,
                           const std::vector<StoredMultiPackIndex>& indexes, const Policy& policy,
                           FindingSink& findings) {
  ReverseIndexChecker checker(storage, policy, findings);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::set<std::string> stems;
    for (const MultiPackIndexChain::Layer& layer : indexes[i].chain.layers()) {
      for (const std::string_view name : layer.index.pack_names()) {
        if (name.ends_with(".idx")) stems.emplace(name.substr(0, name.size() - 4));
      }
    }
    for (const std::string& stem : stems) {
      if (folders[i].has(stem, ".pack") && !folders[i].has(stem, ".idx")) {
        checker.check_unindexed(folders[i], stem);
      }
    }
  }
}

}  // namespace assay
