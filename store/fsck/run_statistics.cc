#include "store/fsck/run_statistics.h"

#include <sys/resource.h>

#include "sha1/kernel.h"
#include "store/object/sha256.h"

namespace assay {
namespace {

double cpu_seconds() {
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

RunTimer::RunTimer()
    : start_(std::chrono::steady_clock::now()),
      cpu_start_(cpu_seconds()),
      tick_start_(StageClock::ticks()) {}

void RunTimer::read(const std::array<std::uint64_t, kStages>& stage_ticks,
                    FsckStatistics& statistics) const {
  statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  statistics.cpu_seconds = cpu_seconds() - cpu_start_;
  const auto ticks = static_cast<double>(StageClock::ticks() - tick_start_);
  const double seconds_per_tick = ticks > 0 ? statistics.seconds / ticks : 0;
  for (std::size_t i = 0; i < kStages; ++i) {
    const double seconds = static_cast<double>(stage_ticks[i]) * seconds_per_tick;
    const auto stage = static_cast<Stage>(i);
    const bool sha256 = stage == Stage::kSha1 && statistics.hash == HashKind::kSha256;
    statistics.stages.push_back({sha256 ? "SHA-256" : stage_name(stage), seconds});
  }
  statistics.hash_seconds = statistics.stages[static_cast<std::size_t>(Stage::kSha1)].seconds;
}

void describe_work(const Storage& storage, const StorageCheckResult& checked, unsigned threads,
                   bool detecting, FsckStatistics& statistics) {
  statistics.objects = checked.counters.objects;
  statistics.object_bytes = checked.counters.object_bytes;
  statistics.hashed_bytes = checked.counters.hashed_bytes;
  statistics.packs = storage.packs().size();
  for (const StoredFanout& fanout : storage.fanouts()) {
    statistics.loose_objects += fanout.objects.size();
  }
  statistics.threads = threads;
  statistics.hash = storage.kind();
  if (statistics.hash == HashKind::kSha1) {
    statistics.kernel = sha1::best().name;
    statistics.detecting = detecting;
  } else {
    statistics.kernel = sha256_kernels().front().name;
  }
}

}  // namespace assay
