#include "store/verify_derived.h"

#include <algorithm>

#include "store/fsck/check_commit_graph.h"
#include "store/fsck/check_crossrefs.h"
#include "store/fsck/check_multi_pack_index.h"
#include "store/os/follow_file.h"

namespace assay {
namespace {

// Returns: which of the directories is meant; as many as there are when none is.
std::size_t find_directory(os::System& system, const std::vector<ObjectSource>& directories,
                           const std::optional<std::string>& wanted) {
  if (!wanted) return 0;
  const auto real = os::real_path(system, *wanted);
  std::size_t i = 0;
  for (; i < directories.size(); ++i) {
    const auto other = os::real_path(system, directories[i].path);
    if (directories[i].path == *wanted || (real && other && *real == *other)) break;
  }
  return i;
}

VerifyDerivedReport report_of(FindingList& findings, std::uint64_t checked) {
  std::stable_sort(findings.findings().begin(), findings.findings().end(),
                   [](const Finding& a, const Finding& b) { return a.order < b.order; });
  return {std::move(findings.findings()), checked};
}

}  // namespace

Result<VerifyDerivedReport> verify_commit_graph(os::System& system,
                                                const VerifyDerivedOptions& options) {
  const auto repository = Repository::open(system, options.repository);
  if (!repository) return tl::unexpected<Fault>(repository.error());
  const std::vector<ObjectSource> directories = repository->object_sources();
  const std::size_t which = find_directory(system, directories, options.object_directory);
  if (which == directories.size()) {
    return fault(MessageId::kConfigBad,
                 "could not find object directory matching " + *options.object_directory);
  }
  const auto parents = repository->substituted_parents();
  if (!parents) return tl::unexpected<Fault>(parents.error());
  CommitGraphs graphs = load_commit_graphs(*repository, directories, which);
  const Policy policy;
  FindingList problems;  // of packs: not asked for here
  Storage::Options storage_options;
  storage_options.kind = repository->hash_kind();
  const auto storage = Storage::load(system, directories, storage_options, policy, problems);
  graphs.number(storage->table());
  const LinkLedger ledger(storage->table());
  FindingList findings;
  check_commit_graphs(graphs, *storage, ledger, {&*parents, options.memory, options.only_uppermost},
                      policy, findings);
  std::uint64_t commits = 0;
  for (const StoredCommitGraph& graph : graphs.graphs()) commits += graph.chain.count();
  return report_of(findings, commits);
}

Result<VerifyDerivedReport> verify_multi_pack_index(os::System& system,
                                                    const VerifyDerivedOptions& options) {
  const auto repository = Repository::open(system, options.repository);
  if (!repository) return tl::unexpected<Fault>(repository.error());
  std::vector<ObjectSource> directories = repository->object_sources();
  const std::size_t which = find_directory(system, directories, options.object_directory);
  // git takes any other directory for one more alternate.
  if (which == directories.size()) {
    const auto status = system.status_at(os::kCurrentDirectory, *options.object_directory, true);
    if (!status || status->kind != os::FileKind::kDirectory) {
      return fault(MessageId::kConfigBad,
                   "object directory " + *options.object_directory + " does not exist");
    }
    directories.push_back({*options.object_directory, *options.object_directory});
  }
  const Policy policy;
  FindingList problems;
  Storage::Options storage_options;
  storage_options.kind = repository->hash_kind();
  storage_options.read_packs = false;
  const auto storage =
      Storage::load(system, {directories[which]}, storage_options, policy, problems);
  const std::vector<PackFolder> folders = list_pack_folders(*storage);
  std::vector<StoredMultiPackIndex> indexes;
  indexes.push_back(load_multi_pack_index(system, storage->kind(), folders[0]));
  const LinkLedger ledger(storage->table());
  FindingList findings;
  check_multi_pack_indexes(indexes, folders, *storage, ledger, {}, policy, findings);
  return report_of(findings, indexes[0].chain.count());
}

}  // namespace assay
