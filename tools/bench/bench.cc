#include "tools/bench/bench.h"

#include "tools/bench/command_line.h"
#include "tools/bench/formats.h"

namespace assay::tools {

int run_bench(Context& context, Arguments arguments) {
  BenchCommandLine line;
  if (const auto status = parse_bench_command_line(context, arguments, line)) return *status;
  using Benchmark = BenchCommandLine::Benchmark;
  switch (line.benchmark) {
    case Benchmark::kSha1:
      return line.sha1.table == HistoryTable::kNone ? run_bench_sha1(context, line.sha1)
                                                    : run_bench_history(context, line.sha1);
    case Benchmark::kRc4:
      return run_bench_rc4(context, line.rc4);
    case Benchmark::kFsck:
      return run_bench_fsck(context, line.fsck);
    case Benchmark::kCompare:
      return run_bench_compare(context, line.compare);
    case Benchmark::kNone:
      break;
  }
  if (line.list) {
    const int status = list_implementations(context);
    if (status != 0 || !line.self_test) return status;
  }
  return run_self_test(context);
}

void write_report(Context& context, BenchFormat format, const BenchReport& report) {
  if (format == BenchFormat::kJson) context.out.write(to_json(report));
  if (format == BenchFormat::kGobench) context.out.write(to_gobench(report));
  if (format == BenchFormat::kMarkdown) context.out.write(to_markdown(report));
}

}  // namespace assay::tools
