#include "store/fsck/storage_state.h"

#include <algorithm>
#include <chrono>

#include "store/loose/loose_directory.h"

namespace assay {
namespace {

// Linux stamps files with the time of the last tick; the slowest clocks tick every 10 ms.
constexpr std::int64_t kTick = 20'000'000;  // ns
// git renames a pack and its index one after the other, and removes them so.
constexpr std::int64_t kMoment = 2'000'000'000;  // ns

}  // namespace

void StorageState::add(os::System& system, const std::string& path, std::vector<File>& files) {
  const auto status = system.status_at(os::kCurrentDirectory, path, true);
  if (!status) return;
  files.push_back({path, status->inode, status->size, status->modified_ns});
  // Times to come are none of this machine's clock.
  if (status->modified_ns <= taken_ns_) newest_ns_ = std::max(newest_ns_, status->modified_ns);
}

void StorageState::add_directory(os::System& system, const std::string& path,
                                 std::vector<File>& files) {
  add(system, path, files);
  auto listed = system.list(os::kCurrentDirectory, path);
  if (!listed) return;
  std::sort(listed->begin(), listed->end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const os::DirectoryEntry& entry : *listed) add(system, path + "/" + entry.name, files);
}

StorageState StorageState::take(os::System& system, const std::vector<ObjectSource>& directories) {
  StorageState state;
  state.taken_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
  for (const ObjectSource& directory : directories) {
    for (unsigned fanout = 0; fanout < LooseDirectory::kFanoutCount; ++fanout) {
      state.add(system, directory.path + "/" + fanout_name(fanout), state.objects_);
    }
    const std::string packs = directory.path + "/pack";
    state.add_directory(system, packs, state.objects_);
    state.add_directory(system, packs + "/multi-pack-index.d", state.objects_);
    state.add(system, directory.path + "/info/commit-graph", state.graphs_);
    state.add_directory(system, directory.path + "/info/commit-graphs", state.graphs_);
    const auto status = system.status_at(os::kCurrentDirectory, packs, true);
    if (status && status->modified_ns <= state.taken_ns_) {
      state.newest_packs_ns_ = std::max(state.newest_packs_ns_, status->modified_ns);
    }
  }
  return state;
}

bool StorageState::is_fresh() const { return taken_ns_ - newest_ns_ < kTick; }

bool StorageState::packs_are_fresh() const { return taken_ns_ - newest_packs_ns_ < kMoment; }

}  // namespace assay
