#include "tools/fsck/figures.h"

#include <fmt/format.h>

namespace assay::tools {

std::string statistics_line(const FsckStatistics& statistics) {
  const double share =
      statistics.cpu_seconds > 0 ? 100 * statistics.hash_seconds / statistics.cpu_seconds : 0;
  const double gigabytes = static_cast<double>(statistics.hashed_bytes) * 1e-9;
  const double rate = statistics.hash_seconds > 0 ? gigabytes / statistics.hash_seconds : 0;
  const bool sha1 = statistics.hash == HashKind::kSha1;
  std::string_view detection;
  if (sha1) detection = statistics.detecting ? "detecting, " : "collision detection off, ";
  return fmt::format(
      "{} {:.1f} % of CPU time (kernel {}, {}{} objects, {:.2f} GB, {:.1f} GB/s); {:.2f} s "
      "with {} {}",
      sha1 ? "SHA-1" : "SHA-256", share, statistics.kernel, detection, statistics.objects,
      gigabytes, rate, statistics.seconds, statistics.threads,
      statistics.threads == 1 ? "thread" : "threads");
}

std::string stage_table(const FsckStatistics& statistics) {
  double total = 0;
  for (const auto& stage : statistics.stages) total += stage.seconds;
  std::string table = fmt::format("{:<10} {:>9} {:>7}\n", "stage", "seconds", "share");
  for (const auto& stage : statistics.stages) {
    table += fmt::format("{:<10} {:>9.3f} {:>5.1f} %\n", stage.name, stage.seconds,
                         total > 0 ? 100 * stage.seconds / total : 0);
  }
  table += fmt::format("{:<10} {:>9.3f}\n", "workers", total);
  table += fmt::format("objects {}, bytes {}, hashed bytes {}, packs {}, loose objects {}\n",
                       statistics.objects, statistics.object_bytes, statistics.hashed_bytes,
                       statistics.packs, statistics.loose_objects);
  return table;
}

}  // namespace assay::tools
