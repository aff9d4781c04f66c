// `assay bench`: measures SHA-1, RC4 and whole runs of fsck, and compares measurements.
//
//     assay bench sha1 | rc4 | fsck REPO | compare OLD NEW
//     assay bench --list | --self-test
#pragma once

#include "tools/bench/bench_options.h"
#include "tools/bench/series.h"
#include "tools/common/command.h"

namespace assay::tools {

int run_bench(Context& context, Arguments arguments);

// The benchmarks, one a file. Each returns the exit status: 1 when what was to be equal was not.
int run_bench_sha1(Context& context, const Sha1BenchOptions& options);
int run_bench_history(Context& context, const Sha1BenchOptions& options);
int run_bench_rc4(Context& context, const Rc4BenchOptions& options);
int run_bench_fsck(Context& context, const FsckBenchOptions& options);
int run_bench_compare(Context& context, const CompareOptions& options);

int list_implementations(Context& context);
// Checks every kernel and rival against known answers and against each other.
int run_self_test(Context& context);

// Writes the report in the format; nothing in kText, whose tables are written as they are measured.
void write_report(Context& context, BenchFormat format, const BenchReport& report);

}  // namespace assay::tools
