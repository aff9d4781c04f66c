#include "store/verify_pack.h"

#include <algorithm>

#include "store/fsck/check_storage.h"

namespace assay {
namespace {

// Returns: the path without ".pack" or ".idx".
std::string stem_of(const std::string& path) {
  for (const std::string_view suffix : {".pack", ".idx"}) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

std::vector<PackEntryInfo> list_entries(const StoredPack& stored) {
  const DeltaForest& forest = stored.forest;
  std::vector<PackEntryInfo> entries;
  entries.reserve(forest.size());
  for (std::uint32_t i = 0; i < forest.size(); ++i) {
    PackEntryInfo& info = entries.emplace_back();
    info.id = stored.index->id(forest.index_position({i}));
    info.type = forest.type({i});
    info.offset = forest.offset({i}).value;
    info.size_in_pack = forest.end({i}).value - info.offset;
    const auto header = stored.pack->entry_header({info.offset});
    if (header) info.size = header->inflated_size;
    const std::uint32_t base = forest.base({i});
    if (base == DeltaForest::kNone) continue;
    info.base = stored.index->id(forest.index_position({base}));
    // A base may come later in the pack, so depths are counted along the chain. An entry of a cycle
    // has no type and no depth.
    if (info.type == ObjectType::kUnknown) continue;
    for (std::uint32_t at = i; forest.base({at}) != DeltaForest::kNone; at = forest.base({at})) {
      ++info.depth;
    }
  }
  return entries;
}

}  // namespace

VerifyPackReport verify_pack(os::System& system, const std::string& path,
                             const VerifyPackOptions& options) {
  VerifyPackReport report;
  const Policy policy;
  FindingList problems;
  Storage::Options storage_options;
  storage_options.kind = options.kind;
  storage_options.threads = options.threads;
  const auto storage =
      Storage::load_pack_alone(system, stem_of(path), storage_options, policy, problems);
  report.findings = std::move(problems.findings());
  if (!storage->packs().empty()) {
    LinkLedger ledger(storage->table());
    const CommitParents no_overrides;
    StorageCheckOptions check;
    check.threads = options.threads;
    check.memory = options.memory;
    check.temporary_directory = options.temporary_directory;
    check.verify.policy = &policy;
    check.verify.parents = &no_overrides;
    check.verify.files = &storage->files();
    StorageCheckResult result;
    check_storage(*storage, {}, ledger, check, result);
    for (Finding& finding : result.findings) {
      // What the objects mean is not asked here.
      const bool of_content = finding.order.part < kStoragePart;
      if (!of_content) report.findings.push_back(std::move(finding));
    }
    if (options.list_entries) report.entries = list_entries(storage->packs().front());
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.order < b.order; });
  return report;
}

}  // namespace assay
