#include "tools/bench/formats.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/bench/statistics.h"
#include "tools/common/json_writer.h"

namespace assay::tools {
namespace {

constexpr std::string_view kGoPrefix = "Benchmark";

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string now_text() {
  const time_t now = ::time(nullptr);
  tm parts;
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Finds the series of that name or adds it.
Series& series_of(BenchReport& report, std::string_view name) {
  for (Series& series : report.series) {
    if (series.name == name) return series;
  }
  report.series.push_back({std::string(name), 0, 0, {}, {}});
  return report.series.back();
}

double nanoseconds_of_unit(std::string_view unit) {
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return 1;
}

// The members of an object when they are of the kind asked for; reports of others may hold
// anything.
double number_in(const nlohmann::json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string text_in(const nlohmann::json& object, const char* name, std::string_view otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string(otherwise);
}

std::optional<BenchReport> parse_google(std::string_view text) {
  const auto root = nlohmann::json::parse(text, nullptr, false);
  const auto rows = root.find("benchmarks");
  if (rows == root.end()) return std::nullopt;
  BenchReport report;
  for (const nlohmann::json& row : *rows) {
    if (!row.is_object()) continue;
    const std::string name = text_in(row, "name", "");
    if (name.empty() || text_in(row, "run_type", "iteration") != "iteration") continue;
    if (row.contains("error_occurred")) continue;
    const double scale = nanoseconds_of_unit(text_in(row, "time_unit", "ns"));
    const double time = number_in(row, "cpu_time", number_in(row, "real_time", 0)) * scale;
    Series& series = series_of(report, name);
    series.operations += static_cast<std::uint64_t>(std::max(0.0, number_in(row, "iterations", 0)));
    series.bytes = number_in(row, "bytes_per_second", 0) * time * 1e-9;
    const auto rounds = row.find("assay_rounds_ns");
    if (rounds == row.end()) {
      series.nanoseconds.push_back(time);
      continue;
    }
    for (const nlohmann::json& round : *rounds) {
      if (round.is_number()) series.nanoseconds.push_back(round.get<double>());
    }
  }
  if (report.series.empty()) return std::nullopt;
  return report;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = end;
  }
  return words;
}

// "BenchmarkSha1/one/x/8-2" -> "sha1/one/x/8": without prefix and number of processors.
std::string name_of_go(std::string_view word) {
  std::string name(word.substr(kGoPrefix.size()));
  const std::size_t dash = name.rfind('-');
  if (dash != std::string::npos && dash + 1 < name.size() &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(),
                  [](char c) { return c >= '0' && c <= '9'; })) {
    name.resize(dash);
  }
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] + 32);
  return name;
}

std::optional<double> number_of(std::string_view word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<BenchReport> parse_go(std::string_view text) {
  BenchReport report;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.size() < 4 || !words[0].starts_with(kGoPrefix)) continue;
    const auto operations = number_of(words[1]);
    if (!operations) continue;
    std::optional<double> time;
    double speed = 0;
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      const auto value = number_of(words[i]);
      if (!value) break;
      if (words[i + 1] == "ns/op") time = value;
      if (words[i + 1] == "MB/s") speed = *value;
    }
    if (!time) continue;
    Series& series = series_of(report, name_of_go(words[0]));
    series.operations += static_cast<std::uint64_t>(std::max(0.0, *operations));
    series.nanoseconds.push_back(*time);
    series.bytes = speed * *time * 1e-3;
  }
  if (report.series.empty()) return std::nullopt;
  return report;
}

}  // namespace

std::optional<BenchFormat> parse_bench_format(std::string_view name) {
  if (name == "text") return BenchFormat::kText;
  if (name == "json") return BenchFormat::kJson;
  if (name == "gobench") return BenchFormat::kGobench;
  if (name == "markdown") return BenchFormat::kMarkdown;
  return std::nullopt;
}

Circumstances describe_machine() {
  return {{"date", now_text()},
          {"cpu", processor_name()},
          {"assay", ASSAY_VERSION},
          {"compiler", ASSAY_COMPILER}};
}

std::string to_json(const BenchReport& report) {
  std::string text = "{\n  \"context\": {\n";
  text += fmt::format("    \"num_cpus\": {},\n", std::thread::hardware_concurrency());
#if defined(NDEBUG)
  constexpr std::string_view kBuild = "release";
#else
  constexpr std::string_view kBuild = "debug";
#endif
  text +=
      fmt::format("    \"executable\": \"assay\",\n    \"library_build_type\": \"{}\",\n", kBuild);
  text += "    \"caches\": []";
  for (const auto& [key, value] : report.circumstances) {
    text += fmt::format(",\n    {}: {}", json_string(key), json_string(value));
  }
  text += "\n  },\n  \"benchmarks\": [";
  std::string_view separator = "\n";
  for (const Series& series : report.series) {
    const double time = median(series.nanoseconds);
    const double wall = series.wall_seconds.empty() ? time : median(series.wall_seconds) * 1e9;
    text += separator;
    separator = ",\n";
    text += fmt::format(
        "    {{\n      \"name\": {0},\n      \"run_name\": {0},\n      \"run_type\": "
        "\"iteration\",\n"
        "      \"repetitions\": 1,\n      \"repetition_index\": 0,\n      \"threads\": 1,\n"
        "      \"iterations\": {1},\n      \"real_time\": {2:.6g},\n      \"cpu_time\": {3:.6g},\n"
        "      \"time_unit\": \"ns\"",
        json_string(series.name), series.operations, wall, time);
    if (series.bytes > 0 && time > 0) {
      text += fmt::format(",\n      \"bytes_per_second\": {:.6g}", series.bytes * 1e9 / time);
    }
    text += ",\n      \"assay_rounds_ns\": [";
    for (std::size_t i = 0; i < series.nanoseconds.size(); ++i) {
      text += fmt::format("{}{:.6g}", i == 0 ? "" : ", ", series.nanoseconds[i]);
    }
    text += "]\n    }";
  }
  return text + "\n  ]\n}\n";
}

std::string to_gobench(const BenchReport& report) {
  // benchstat keeps apart what was measured under different "key: value" lines, so only what makes
  // figures incomparable is one.
  std::string text = "goos: linux\npkg: assay\n";
  for (const auto& [key, value] : report.circumstances) {
    text += fmt::format("{}{}: {}\n", key == "cpu" ? "" : "# ", key, value);
  }
  for (const Series& series : report.series) {
    std::string name = series.name;
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
      name[0] = static_cast<char>(name[0] - 32);
    const std::size_t rounds = std::max<std::size_t>(1, series.nanoseconds.size());
    const std::uint64_t operations = std::max<std::uint64_t>(1, series.operations / rounds);
    for (const double time : series.nanoseconds) {
      text += fmt::format("{}{} \t{} \t{:.6g} ns/op", kGoPrefix, name, operations, time);
      if (series.bytes > 0) {
        text += fmt::format(" \t{:.6g} MB/s", megabytes_per_second(series.bytes, time));
      }
      text += '\n';
    }
  }
  return text;
}

std::string to_markdown(const BenchReport& report) {
  std::string text;
  for (const auto& [key, value] : report.circumstances)
    text += fmt::format("{}: {}  \n", key, value);
  text += "\n| benchmark | time | MB/s |\n|---|---:|---:|\n";
  for (const Series& series : report.series) {
    const double time = median(series.nanoseconds);
    text += fmt::format(
        "| {} | {} | {} |\n", series.name, format_nanoseconds(time),
        series.bytes > 0 ? fmt::format("{:.1f}", megabytes_per_second(series.bytes, time)) : "");
  }
  return text;
}

std::optional<BenchReport> parse_report(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return std::nullopt;
  return text[begin] == '{' ? parse_google(text) : parse_go(text);
}

std::string format_nanoseconds(double nanoseconds) {
  constexpr std::string_view kUnits[] = {"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  while (nanoseconds >= 999.5 && unit + 1 < std::size(kUnits)) {
    nanoseconds /= 1000;
    ++unit;
  }
  const int digits = nanoseconds < 9.995 ? 2 : nanoseconds < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", nanoseconds, digits, kUnits[unit]);
}

}  // namespace assay::tools
