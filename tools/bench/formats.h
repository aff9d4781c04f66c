// Reports of benchmarks as text that other programs read.
//
// JSON is Google Benchmark's: one object a series in "benchmarks", its times the medians of the
// rounds, cpu_time of the processor and real_time of the wall clock, "bytes_per_second" by the
// former; "assay_rounds_ns" adds every round's processor time, which `compare` wants. Go's format
// has a line a round (https://golang.org/design/14313-benchmark-format); benchstat reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/bench/series.h"

namespace assay::tools {

enum class BenchFormat { kText, kJson, kGobench, kMarkdown };

std::optional<BenchFormat> parse_bench_format(std::string_view name);

// Facts about the machine and the program: the processor, the compiler, the date.
Circumstances describe_machine();

std::string to_json(const BenchReport& report);
std::string to_gobench(const BenchReport& report);
// A table: name, time, speed.
std::string to_markdown(const BenchReport& report);

// Reads JSON or Go's format, whichever it is. Rows of one name are rounds of one series, in JSON
// repetitions are; aggregates (means, medians) beside repetitions are left out.
// Returns: nothing when the text is neither or holds no benchmark.
std::optional<BenchReport> parse_report(std::string_view text);

// Returns: "5.81 ns", "1.23 µs", "12.3 ms", ...: three digits.
std::string format_nanoseconds(double nanoseconds);

}  // namespace assay::tools
