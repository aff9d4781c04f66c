// sha1_bench: times the SHA-1 kernels, one message at a time, and compares their digests. Needs the
// C++ library only, so that it runs wherever the kernels do; `assay bench` does more.
//
//   sha1_bench [--list] [--detect] [--rounds N] [--size BYTES]... [KERNEL]...
//
// Without sizes 8, 1024 and 8192 bytes (those of Go's benchmarks) and 65536; without kernels all
// that this processor can run. The kernels alternate; shown are medians of the rounds, in processor
// time of this thread. The status is 1 when a digest differs from the portable kernel's, 2 when an
// argument is wrong.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "sha1/kernel.h"
#include "sha1/sha1.h"

namespace {

using assay::sha1::Detect;
using assay::sha1::Digest;
using assay::sha1::Kernels;

struct Options {
  bool list = false;
  Detect detect = Detect::kOff;
  unsigned rounds = 9;
  std::vector<std::size_t> sizes;
  std::vector<const Kernels*> kernels;
};

// Bytes hashed for one time; enough for a clock of a microsecond.
constexpr std::size_t kBytesPerTime = 4 << 20;

double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int usage() {
  std::fputs("usage: sha1_bench [--list] [--detect] [--rounds N] [--size BYTES]... [KERNEL]...\n",
             stderr);
  return 2;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") {
      options.list = true;
    } else if (argument == "--detect") {
      options.detect = Detect::kOn;
    } else if ((argument == "--rounds" || argument == "--size") && i + 1 < argc) {
      const unsigned long value = std::strtoul(argv[++i], nullptr, 10);
      if (argument == "--size") {
        options.sizes.push_back(value);
      } else if (value != 0) {
        options.rounds = static_cast<unsigned>(value);
      }
    } else if (const Kernels* kernels = assay::sha1::find_kernels(argument)) {
      options.kernels.push_back(kernels);
    } else {
      return false;
    }
  }
  if (options.sizes.empty()) options.sizes = {8, 1024, 8192, 65536};
  if (options.kernels.empty()) {
    for (const Kernels& kernels : assay::sha1::all_kernels()) options.kernels.push_back(&kernels);
  }
  return true;
}

void list() {
  for (const Kernels& kernels : assay::sha1::all_kernels()) {
    const char* note = &kernels == &assay::sha1::best() ? " (chosen)" : "";
    if (!assay::sha1::usable(kernels)) note = " (this processor cannot run it)";
    std::printf("%.*s%s\n", static_cast<int>(kernels.name.size()), kernels.name.data(), note);
  }
}

Digest hash(const Kernels& kernels, Detect detect, const std::vector<std::uint8_t>& message) {
  assay::sha1::Hasher hasher(detect, kernels);
  hasher.update(message);
  return hasher.finish().digest;
}

// One table. Returns: whether all digests are equal.
bool bench(const Options& options, std::size_t size) {
  std::vector<std::uint8_t> message(size);
  for (std::size_t i = 0; i < size; ++i) message[i] = static_cast<std::uint8_t>(i % 251);
  const Digest expected = hash(*assay::sha1::find_kernels("portable"), options.detect, message);
  const std::size_t count = std::max<std::size_t>(kBytesPerTime / (size + 64), 1);

  std::vector<std::vector<double>> times(options.kernels.size());
  std::vector<bool> right(options.kernels.size(), true);
  for (unsigned round = 0; round < options.rounds; ++round) {
    for (std::size_t k = 0; k < options.kernels.size(); ++k) {
      if (!usable(*options.kernels[k])) continue;
      const double begin = seconds();
      for (std::size_t i = 0; i < count; ++i) {
        if (hash(*options.kernels[k], options.detect, message) != expected) right[k] = false;
      }
      times[k].push_back((seconds() - begin) / static_cast<double>(count));
    }
  }

  std::printf("%zu bytes, %s\n  %-20s %12s %12s\n", size,
              options.detect == Detect::kOn ? "detecting" : "plain", "", "TIME[ns]", "SPEED[MB/s]");
  bool all_right = true;
  for (std::size_t k = 0; k < options.kernels.size(); ++k) {
    const std::string name(options.kernels[k]->name);
    if (times[k].empty()) {
      std::printf("  %-20s skipped: this processor cannot run it\n", name.c_str());
      continue;
    }
    std::sort(times[k].begin(), times[k].end());
    const double time = times[k][times[k].size() / 2];
    std::printf("  %-20s %12.1f %12.1f%s\n", name.c_str(), time * 1e9,
                static_cast<double>(size) / time / 1e6, right[k] ? "" : "  WRONG DIGEST");
    all_right = all_right && right[k];
  }
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) return usage();
  if (options.list) {
    list();
    return 0;
  }
  bool all_right = true;
  for (const std::size_t size : options.sizes) all_right = bench(options, size) && all_right;
  return all_right ? 0 : 1;
}
