#include "store/fsck/check_crossrefs.h"

#include "store/fsck/check_bitmaps.h"
#include "store/fsck/check_commit_graph.h"
#include "store/fsck/check_mtimes.h"
#include "store/fsck/check_multi_pack_index.h"
#include "store/fsck/check_reverse_indexes.h"
#include "store/fsck/fsck_run.h"

namespace assay {
namespace {

// Values that cannot be understood are not our business here: git dies of them elsewhere.
bool flag(const Repository& repository, std::string_view key, bool otherwise) {
  const auto value = repository.config().get_bool(key);
  return value && *value ? **value : otherwise;
}

CommitGraph::Options graph_options(const Repository& repository) {
  CommitGraph::Options options;
  const auto version = repository.config().get_int("commitGraph.generationVersion");
  options.read_generation_data = !version || version->value_or(2) >= 2;
  options.read_changed_paths = flag(repository, "commitGraph.readChangedPaths", true);
  return options;
}

}  // namespace

CommitGraphs load_commit_graphs(const Repository& repository,
                                const std::vector<ObjectSource>& directories) {
  if (!flag(repository, "core.commitGraph", true)) return {};
  return CommitGraphs::load(repository.system(), directories, repository.hash_kind(),
                            graph_options(repository));
}

CommitGraphs load_commit_graphs(const Repository& repository,
                                const std::vector<ObjectSource>& directories, std::size_t which) {
  return CommitGraphs::load(repository.system(), directories, repository.hash_kind(),
                            graph_options(repository), which);
}

void check_crossrefs(const Repository& repository, const Storage& storage, const LinkLedger& ledger,
                     const CommitGraphs& graphs, const StorageCheckOptions& options,
                     FindingSink& findings) {
  const Policy& policy = *options.verify.policy;
  const std::vector<PackFolder> folders = list_pack_folders(storage);
  check_satellites(folders, policy, findings);
  check_reverse_indexes(storage, folders, policy, findings);
  check_mtimes(storage, folders, policy, findings);
  std::vector<StoredMultiPackIndex> indexes;
  if (flag(repository, "core.multiPackIndex", true)) {
    for (const PackFolder& folder : folders) {
      indexes.push_back(load_multi_pack_index(storage.system(), storage.kind(), folder));
    }
    check_unindexed_packs(storage, folders, indexes, policy, findings);
    check_multi_pack_indexes(indexes, folders, storage, ledger, {!graphs.empty()}, policy,
                             findings);
  }
  std::optional<BitmapTruthOptions> truth;
  // git makes no bitmaps where history is cut off or changed.
  if (options.full_bitmaps && options.verify.parents->empty()) {
    truth = {options.threads, options.memory};
  }
  check_bitmaps(indexes, folders, storage, ledger, truth, policy, findings);
  check_commit_graphs(graphs, storage, ledger, {options.verify.parents, options.memory, false},
                      policy, findings);
  if (FsckProgress* progress = options.verify.progress; progress != nullptr) {
    std::uint64_t commits = 0;
    for (const StoredCommitGraph& graph : graphs.graphs()) commits += graph.chain.count();
    std::uint64_t objects = 0;
    for (const StoredMultiPackIndex& index : indexes) objects += index.chain.count();
    progress->commit_graph_commits = commits;
    progress->multi_pack_index_objects = objects;
  }
}

}  // namespace assay
