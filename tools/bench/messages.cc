#include "tools/bench/messages.h"

#include <algorithm>
#include <cmath>

#include "fixtures/noise/noise.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kPoolSize = std::uint64_t{512} << 10;
// A message begins at a multiple of this, as memory from an allocator does.
constexpr std::uint64_t kAlignment = 16;

// Enough that filling and draining the lanes does not count: a multiple of all numbers of lanes.
constexpr std::uint64_t kMostMessages = 4096;
constexpr std::uint64_t kFewestMessages = 32;
constexpr std::uint64_t kFewestLongMessages = 16;
constexpr std::uint64_t kLong = std::uint64_t{4} << 20;
constexpr std::uint64_t kMixMessages = 1024;

constexpr std::string_view kMixNames[] = {"mix_250", "mix_700", "mix_2000", "mix_tail"};
constexpr double kSpread = 1.0;  // deviation of the logarithm of the sizes
constexpr double kShortest = 32;
constexpr double kLongest = 256 * 1024;

std::uint64_t log_normal(noise::Noise& noise, double median) {
  const double size = median * std::exp(kSpread * noise.normal());
  return static_cast<std::uint64_t>(std::clamp(size, kShortest, kLongest));
}

}  // namespace

MessageSet MessageSet::of_size(std::uint64_t size) {
  const std::uint64_t fitting = size == 0 ? kMostMessages : kPoolSize / size;
  const std::uint64_t fewest = size >= kLong ? kFewestLongMessages : kFewestMessages;
  const std::uint64_t count = std::clamp(fitting / fewest * fewest, fewest, kMostMessages);
  return {std::to_string(size), false, std::vector<std::uint64_t>(count, size)};
}

MessageSet MessageSet::of_mix(std::string_view name) {
  noise::Noise noise(name);
  std::vector<std::uint64_t> sizes;
  while (sizes.size() < kMixMessages) {
    if (name == "mix_250") {
      sizes.push_back(log_normal(noise, 250));
    } else if (name == "mix_2000") {
      sizes.push_back(log_normal(noise, 2000));
    } else if (name == "mix_tail" && noise.below(50) == 0) {
      // Evenly over the orders of magnitude from 4 KiB on.
      const double size = 4096 * std::pow(kLongest / 4096, noise.unit());
      sizes.push_back(static_cast<std::uint64_t>(size));
    } else {
      sizes.push_back(log_normal(noise, 700));
    }
  }
  return {std::string(name), true, sizes};
}

MessageSet::MessageSet(std::string name, bool is_mix, const std::vector<std::uint64_t>& sizes)
    : name_(std::move(name)), is_mix_(is_mix) {
  const std::uint64_t longest = *std::max_element(sizes.begin(), sizes.end());
  for (const std::uint64_t size : sizes) total_ += size;
  const std::uint64_t pool = std::max(kPoolSize, 2 * longest);
  pool_.resize(static_cast<std::size_t>(pool));
  noise::Noise("messages").fill(pool_);
  // The places at which messages begin are spread evenly over what leaves room for the longest;
  // short messages lie one behind the other.
  const std::uint64_t spread = (pool - longest) / sizes.size() / kAlignment * kAlignment;
  const std::uint64_t behind = (longest + kAlignment - 1) / kAlignment * kAlignment;
  const std::uint64_t distance = std::min(spread, behind);
  std::uint64_t next = 0;
  for (const std::uint64_t size : sizes) {
    messages_.emplace_back(pool_.data() + next, static_cast<std::size_t>(size));
    next += distance;
  }
}

std::span<const std::string_view> mix_names() { return kMixNames; }

}  // namespace assay::tools
