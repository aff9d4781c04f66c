// `assay bench compare OLD NEW`: two reports, row by row, in the shape of Go's benchcmp.

#include <fcntl.h>
#include <fmt/format.h>

#include <optional>

#include "store/os/system.h"
#include "tools/bench/bench.h"
#include "tools/bench/comparison.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kLargestReport = std::uint64_t{64} << 20;

std::optional<BenchReport> read_report(Context& context, const std::string& path) {
  os::OsResult<Bytes> bytes = tl::unexpected<os::Error>(os::Error{});
  if (path == "-") {
    bytes = os::read_all(context.system, context.in, kLargestReport);
  } else if (auto file = context.system.open(os::kCurrentDirectory, path, O_RDONLY)) {
    bytes = os::read_all(context.system, file->get(), kLargestReport);
  } else {
    bytes = tl::unexpected<os::Error>(file.error());
  }
  if (!bytes) {
    die(context, fmt::format("cannot read '{}': {}", path, bytes.error().text()));
    return std::nullopt;
  }
  auto report = parse_report(as_text(*bytes));
  if (!report) {
    die(context, fmt::format("'{}' holds no benchmarks, neither as JSON nor in Go's format", path));
  }
  return report;
}

}  // namespace

int run_bench_compare(Context& context, const CompareOptions& options) {
  const auto before = read_report(context, options.before);
  if (!before) return kExitFatal;
  const auto after = read_report(context, options.after);
  if (!after) return kExitFatal;

  const Comparison comparison = compare_reports(*before, *after, options.alpha);
  context.out.write(to_text(comparison));
  if (comparison.rows.empty()) return die(context, "the reports have no row in common");
  if (!options.fail_above) return 0;
  const auto worse = rows_slower_by(comparison, *options.fail_above);
  for (const ComparedRow* row : worse) {
    print_error(context, fmt::format("{}: slower by {:.2f} %", row->name, row->delta_percent));
  }
  return worse.empty() ? 0 : 1;
}

}  // namespace assay::tools
