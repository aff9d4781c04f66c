#include "tools/fsck/progress.h"

#include <fmt/format.h>

#include <chrono>

namespace assay::tools {

using std::chrono::milliseconds;

ProgressLine::ProgressLine(const FsckProgress& progress, Output& err)
    : progress_(progress),
      err_(err),
      start_(std::chrono::steady_clock::now()),
      thread_([this] { run(); }) {}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (shown_) show(true);
}

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  milliseconds wait(500);
  while (!changed_.wait_for(lock, wait, [this] { return stop_; })) {
    wait = milliseconds(250);
    show(false);
    shown_ = true;
  }
}

void ProgressLine::show(bool last) {
  const std::uint64_t total = progress_.total_objects.load();
  if (total == 0) {
    err_.write("\rListing objects");
    return;
  }
  const std::uint64_t done = progress_.objects.load();
  const double gigabytes = static_cast<double>(progress_.bytes.load()) * 1e-9;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  // The blanks cover what is left of a longer line before.
  err_.write(fmt::format("\rChecking objects: {:3}% ({}/{}), {:.2f} GB, {:.2f} GB/s{}",
                         100 * done / total, done, total, gigabytes, gigabytes / seconds,
                         last ? ", done.  \n" : "  "));
}

}  // namespace assay::tools
