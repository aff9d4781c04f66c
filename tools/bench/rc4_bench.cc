// `assay bench rc4`: the noise of fixtures and benchmarks, generic code and assembly.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "fixtures/noise/rc4.h"
#include "tools/bench/bench.h"
#include "tools/bench/comparison.h"
#include "tools/bench/rc4_rivals.h"
#include "tools/bench/statistics.h"
#include "tools/bench/turns.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kDefaultSizes[] = {128, 1024, 8192};
constexpr std::uint8_t kKey[] = {'a', ' ', 'k', 'e', 'y', ' ', 'o', 'f',
                                 ' ', 'a', 's', 's', 'a', 'y', '/', 'b'};

// What is measured at one size: our kernels, then the others.
struct Field {
  std::vector<Contestant> contestants;
  bool equal = true;  // all streams are
};

Field make_field(std::vector<std::uint8_t>& buffer) {
  Field field;
  std::vector<std::uint8_t> expected;
  const auto add = [&](std::string_view name, const auto& xor_bytes) {
    std::fill(buffer.begin(), buffer.end(), std::uint8_t{0});
    xor_bytes(buffer.data(), buffer.size());
    if (expected.empty()) expected = buffer;
    field.equal = field.equal && buffer == expected;
    Contestant contestant;
    contestant.name = fmt::format("rc4/{}/{}", name, buffer.size());
    contestant.bytes = static_cast<double>(buffer.size());
    contestant.call = [&buffer, xor_bytes](std::uint64_t calls) {
      for (; calls > 0; --calls) {
        xor_bytes(buffer.data(), buffer.size());
        touch_memory(buffer.data());
      }
    };
    field.contestants.push_back(std::move(contestant));
  };
  for (const noise::Rc4Kernel& kernel : noise::rc4_kernels()) {
    add(kernel.name,
        [rc4 = std::make_shared<noise::Rc4>(kKey, kernel)](std::uint8_t* bytes, std::size_t size) {
          rc4->xor_bytes(bytes, bytes, size);
        });
  }
  for (const Rc4Rival& rival : find_rc4_rivals(kKey)) add(rival.name, rival.xor_bytes);
  return field;
}

}  // namespace

int run_bench_rc4(Context& context, const Rc4BenchOptions& options) {
  std::vector<std::uint64_t> sizes = options.sizes;
  if (sizes.empty()) sizes.assign(std::begin(kDefaultSizes), std::end(kDefaultSizes));
  const auto kernels = noise::rc4_kernels();
  BenchReport report;
  report.circumstances = describe_machine();
  BenchReport generic;  // the rows of the plain code
  BenchReport best;     // those of the first kernel, by the same names
  std::string others;   // lines about the other libraries
  bool all_equal = true;
  for (const std::uint64_t size : sizes) {
    std::vector<std::uint8_t> buffer(static_cast<std::size_t>(size));
    const Field field = make_field(buffer);
    all_equal = all_equal && field.equal;
    const std::vector<Series> rows = take_turns(field.contestants, options.turns);
    generic.series.push_back(rows[kernels.size() - 1]);
    best.series.push_back(rows.front());
    generic.series.back().name = best.series.back().name = fmt::format("rc4/{}", size);
    const double ours = median(rows.front().nanoseconds);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      report.series.push_back(rows[i]);
      if (i < kernels.size()) continue;
      const double time = median(rows[i].nanoseconds);
      others += fmt::format("{:<20} {:>10.1f} {:>10.2f} {:>9.2f}x\n", rows[i].name, time,
                            megabytes_per_second(rows[i].bytes, time), ours / time);
    }
  }
  if (options.format == BenchFormat::kText) {
    for (const auto& [key, value] : report.circumstances) {
      context.out.write(fmt::format("{}: {}\n", key, value));
    }
    context.out.write(
        fmt::format("old: {}, new: {}; median of {} turns of this thread's processor time\n\n",
                    kernels.back().name, kernels.front().name, options.turns.rounds));
    context.out.write(to_text(compare_reports(generic, best, CompareOptions{}.alpha)));
    if (!others.empty()) {
      context.out.write(fmt::format("\n{:<20} {:>10} {:>10} {:>10}\n{}", "others", "ns/op", "MB/s",
                                    "x new", others));
    }
    context.out.write(all_equal ? "\nall streams are equal\n" : "\nSTREAMS DIFFER\n");
  }
  write_report(context, options.format, report);
  if (!all_equal) print_error(context, "streams differ");
  return all_equal ? 0 : 1;
}

}  // namespace assay::tools
