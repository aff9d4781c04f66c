// StageClock: how a worker's time divides over the stages of verification.
//
// One clock a worker; `enter(stage)` closes the stage before. It reads the processor's time stamp
// counter (about 20 cycles), which runs at one rate on every CPU that has the kernels' features;
// elsewhere the steady clock. Sums are turned to seconds by the ratio to the wall clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace assay {

enum class Stage : std::uint8_t {
  kOther,
  kRead,
  kInflate,
  kDelta,
  kSha1,
  kChecksums,
  kRules,
  kLinks,
  kWaiting,
};
constexpr std::size_t kStages = 9;

constexpr std::string_view stage_name(Stage stage) {
  constexpr std::string_view kNames[kStages] = {"other",     "read",  "inflate", "delta",  "SHA-1",
                                                "checksums", "rules", "links",   "waiting"};
  return kNames[static_cast<std::size_t>(stage)];
}

class StageClock {
 public:
  StageClock() : last_(ticks()) {}

  // Returns: the stage that was left, so that a caller can go back to it.
  Stage enter(Stage stage) {
    const std::uint64_t now = ticks();
    sums_[static_cast<std::size_t>(current_)] += now - last_;
    last_ = now;
    const Stage left = current_;
    current_ = stage;
    return left;
  }

  const std::array<std::uint64_t, kStages>& sums() const { return sums_; }

  static std::uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return __rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

 private:
  std::array<std::uint64_t, kStages> sums_{};
  std::uint64_t last_;
  Stage current_ = Stage::kOther;
};

}  // namespace assay
