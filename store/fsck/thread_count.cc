#include "store/fsck/thread_count.h"

#include <algorithm>

namespace assay {
namespace {

// Opening a loose object takes as long as verifying so many bytes of one, about 25 us.
constexpr std::uint64_t kOpening = 4096;

}  // namespace

// A thread costs 0.15 ms where a processor is free, and where none is the others wait for it as
// long as the scheduler pleases, some milliseconds, though all work may be done. With two free
// processors the second thread begins to gain at packs of 220 kB and at 130 loose objects.
unsigned worthwhile_threads(const Storage& storage, unsigned most) {
  const std::uint64_t enough = kWorthAThread * (most - 1);
  std::uint64_t size = 0;
  for (const StoredPack& pack : storage.packs()) size += pack.pack->bytes().size();
  for (const StoredFanout& fanout : storage.fanouts()) size += kOpening * fanout.objects.size();
  // Few loose objects may be large ones; of many, the number says enough.
  for (const StoredFanout& fanout : storage.fanouts()) {
    const std::string folder =
        storage.directories()[fanout.directory].path + "/" + fanout_name(fanout.fanout) + "/";
    for (const LooseFile& file : fanout.objects) {
      if (size >= enough) return most;
      const auto status =
          storage.system().status_at(os::kCurrentDirectory, folder + file.name, true);
      if (status) size += status->size;
    }
  }
  return static_cast<unsigned>(std::min<std::uint64_t>(size / kWorthAThread + 1, most));
}

}  // namespace assay
