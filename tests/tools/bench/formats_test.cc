#include "tools/bench/formats.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::tools {
namespace {

BenchReport sample() {
  BenchReport report;
  report.circumstances = {{"date", "today"}, {"cpu", "A \"fast\" one"}};
  report.series.push_back(
      {"sha1/one/portable/plain/64", 64, 300, {100, 90, 110}, {2e-7, 1e-7, 3e-7}});
  report.series.push_back({"fsck/git/zlib", 0, 2, {1.5e9, 2.5e9}, {}});
  return report;
}

TEST(FormatsTest, JsonIsGoogleBenchmarks) {
  const auto root = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(root["context"]["cpu"], "A \"fast\" one");
  EXPECT_GT(root["context"]["num_cpus"], 0);
  ASSERT_EQ(root["benchmarks"].size(), 2u);
  const nlohmann::json& row = root["benchmarks"][0];
  EXPECT_EQ(row["name"], "sha1/one/portable/plain/64");
  EXPECT_EQ(row["run_name"], "sha1/one/portable/plain/64");
  EXPECT_EQ(row["run_type"], "iteration");
  EXPECT_EQ(row["time_unit"], "ns");
  EXPECT_EQ(row["iterations"], 300);
  EXPECT_EQ(row["cpu_time"], 100);
  EXPECT_EQ(row["real_time"], 200);
  EXPECT_EQ(row["bytes_per_second"], 64e7);
  EXPECT_EQ(row["assay_rounds_ns"].size(), 3u);
  EXPECT_EQ(root["benchmarks"][1]["cpu_time"], 2e9);
  EXPECT_FALSE(root["benchmarks"][1].contains("bytes_per_second"));
}

TEST(FormatsTest, GoHasALineForEveryRound) {
  EXPECT_EQ(to_gobench(sample()),
            "goos: linux\n"
            "pkg: assay\n"
            "# date: today\n"
            "cpu: A \"fast\" one\n"
            "BenchmarkSha1/one/portable/plain/64 \t100 \t100 ns/op \t640 MB/s\n"
            "BenchmarkSha1/one/portable/plain/64 \t100 \t90 ns/op \t711.111 MB/s\n"
            "BenchmarkSha1/one/portable/plain/64 \t100 \t110 ns/op \t581.818 MB/s\n"
            "BenchmarkFsck/git/zlib \t1 \t1.5e+09 ns/op\n"
            "BenchmarkFsck/git/zlib \t1 \t2.5e+09 ns/op\n");
}

TEST(FormatsTest, MarkdownIsATable) {
  EXPECT_EQ(to_markdown(sample()),
            "date: today  \n"
            "cpu: A \"fast\" one  \n"
            "\n"
            "| benchmark | time | MB/s |\n"
            "|---|---:|---:|\n"
            "| sha1/one/portable/plain/64 | 100 ns | 640.0 |\n"
            "| fsck/git/zlib | 2.00 s |  |\n");
}

TEST(FormatsTest, BothReadBack) {
  for (const std::string& text : {to_json(sample()), to_gobench(sample())}) {
    const auto report = parse_report(text);
    ASSERT_TRUE(report) << text;
    ASSERT_EQ(report->series.size(), 2u);
    EXPECT_EQ(report->series[0].name, "sha1/one/portable/plain/64");
    EXPECT_EQ(report->series[0].nanoseconds, (std::vector<double>{100, 90, 110}));
    EXPECT_NEAR(report->series[0].bytes, 64, 0.001);
    EXPECT_EQ(report->series[0].operations, 300u);
    EXPECT_EQ(report->series[1].name, "fsck/git/zlib");
    EXPECT_EQ(report->series[1].nanoseconds, (std::vector<double>{1.5e9, 2.5e9}));
    EXPECT_EQ(report->series[1].bytes, 0);
  }
}

// What Google Benchmark writes with --benchmark_repetitions=2: repetitions are rounds, the
// aggregates beside them are not, nor are failed rows; other units are converted.
TEST(FormatsTest, ReadsRepetitionsOfGoogleBenchmark) {
  const auto report = parse_report(R"({"context": {"num_cpus": 2}, "benchmarks": [
    {"name": "a/8", "run_type": "iteration", "repetitions": 2, "repetition_index": 0,
     "iterations": 10, "real_time": 3.0, "cpu_time": 2.0, "time_unit": "us",
     "bytes_per_second": 4e6},
    {"name": "a/8", "run_type": "iteration", "repetitions": 2, "repetition_index": 1,
     "iterations": 10, "real_time": 3.0, "cpu_time": 2.5, "time_unit": "us",
     "bytes_per_second": 3.2e6},
    {"name": "a/8_mean", "run_type": "aggregate", "cpu_time": 2.25, "time_unit": "us"},
    {"name": "b", "error_occurred": true, "error_message": "no"},
    {"name": "c", "cpu_time": 1, "time_unit": "ms"}]})");
  ASSERT_TRUE(report);
  ASSERT_EQ(report->series.size(), 2u);
  EXPECT_EQ(report->series[0].name, "a/8");
  EXPECT_EQ(report->series[0].nanoseconds, (std::vector<double>{2000, 2500}));
  EXPECT_NEAR(report->series[0].bytes, 8, 1e-9);
  EXPECT_EQ(report->series[1].nanoseconds, (std::vector<double>{1e6}));
}

// What `go test -bench` writes: processors behind the name, other units, other lines.
TEST(FormatsTest, ReadsTheOutputOfGo) {
  const auto report = parse_report(
      "goos: linux\ngoarch: amd64\npkg: crypto/sha1\ncpu: some\n"
      "BenchmarkHash8Bytes-4   \t 5000000\t       271 ns/op\t  29.49 MB/s\t       0 B/op\r\n"
      "BenchmarkHash8Bytes-4   \t 5000000\t       281 ns/op\t  28.49 MB/s\t       0 B/op\n"
      "BenchmarkName/with-dash/8-16 100 5 ns/op\n"
      "BenchmarkBroken 100 ns/op\n"
      "--- BENCH: BenchmarkLog\n"
      "PASS\nok  \tcrypto/sha1\t1.2s");
  ASSERT_TRUE(report);
  ASSERT_EQ(report->series.size(), 2u);
  EXPECT_EQ(report->series[0].name, "hash8Bytes");
  EXPECT_EQ(report->series[0].nanoseconds, (std::vector<double>{271, 281}));
  EXPECT_EQ(report->series[0].operations, 10'000'000u);
  EXPECT_EQ(report->series[1].name, "name/with-dash/8");
}

TEST(FormatsTest, RefusesWhatHoldsNoBenchmarks) {
  for (const char* text : {"", "\n", "hello", "{}", "{\"benchmarks\": []}", "{\"benchmarks\": 3}",
                           "{\"benchmarks\": [{}]}", "{\"benchmarks\": [{\"name\": 1}]}", "{",
                           "BenchmarkX", "BenchmarkX 1 2 3"}) {
    EXPECT_FALSE(parse_report(text)) << text;
  }
}

// A number where a list should be, text where a number should be: taken as absent.
TEST(FormatsTest, ReportsOfOthersMayHoldAnything) {
  const auto report = parse_report(
      R"({"benchmarks": [7, {"name": "a", "cpu_time": "2", "real_time": 3, "time_unit": null}]})");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->series.at(0).nanoseconds, std::vector<double>{3});
  EXPECT_FALSE(parse_report(std::string(1'000'000, '[')));
  EXPECT_FALSE(
      parse_report("{\"a\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}"));
}

TEST(FormatsTest, TimesHaveThreeDigits) {
  EXPECT_EQ(format_nanoseconds(0), "0.00 ns");
  EXPECT_EQ(format_nanoseconds(5.807), "5.81 ns");
  EXPECT_EQ(format_nanoseconds(12.34), "12.3 ns");
  EXPECT_EQ(format_nanoseconds(999.4), "999 ns");
  EXPECT_EQ(format_nanoseconds(999.6), "1.00 µs");
  EXPECT_EQ(format_nanoseconds(45'670), "45.7 µs");
  EXPECT_EQ(format_nanoseconds(123.4e6), "123 ms");
  EXPECT_EQ(format_nanoseconds(4567e9), "4567 s");
}

TEST(FormatsTest, NamesOfFormats) {
  EXPECT_EQ(parse_bench_format("text"), BenchFormat::kText);
  EXPECT_EQ(parse_bench_format("json"), BenchFormat::kJson);
  EXPECT_EQ(parse_bench_format("gobench"), BenchFormat::kGobench);
  EXPECT_EQ(parse_bench_format("markdown"), BenchFormat::kMarkdown);
  EXPECT_FALSE(parse_bench_format("xml"));
}

}  // namespace
}  // namespace assay::tools
