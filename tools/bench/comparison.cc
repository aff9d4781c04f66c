#include "tools/bench/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/bench/statistics.h"

namespace assay::tools {
namespace {

const Series* find_series(const BenchReport& report, const std::string& name) {
  for (const Series& series : report.series) {
    if (series.name == name) return &series;
  }
  return nullptr;
}

ComparedRow compare_series(const Series& before, const Series& after, double alpha) {
  ComparedRow row;
  row.name = before.name;
  row.before = median(before.nanoseconds);
  row.after = median(after.nanoseconds);
  row.speed_before = megabytes_per_second(before.bytes, row.before);
  row.speed_after = megabytes_per_second(after.bytes, row.after);
  if (row.before > 0) row.delta_percent = 100 * (row.after / row.before - 1);
  row.p = mann_whitney_p(before.nanoseconds, after.nanoseconds);
  row.rounds_before = before.nanoseconds.size();
  row.rounds_after = after.nanoseconds.size();
  row.significant = row.p < alpha;
  row.testable = std::min(row.rounds_before, row.rounds_after) >= kFewestForSignificance;
  return row;
}

// As Go prints times: about three digits, never an exponent.
std::string format_value(double value) {
  const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f}", value, digits);
}

std::string format_p(const ComparedRow& row) {
  const std::string count = row.rounds_before == row.rounds_after
                                ? fmt::format("n={}", row.rounds_before)
                                : fmt::format("n={}+{}", row.rounds_before, row.rounds_after);
  return fmt::format("(p={:.3f} {})", row.p, count);
}

// Columns as wide as they need to be, the first to the left, the others to the right.
std::string format_table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (std::size_t i = 1; i < line.size(); ++i) {
      text += fmt::format("  {:>{}}", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

Comparison compare_reports(const BenchReport& before, const BenchReport& after, double alpha) {
  Comparison comparison;
  for (const Series& series : before.series) {
    const Series* other = find_series(after, series.name);
    if (other == nullptr) {
      comparison.only_before.push_back(series.name);
    } else {
      comparison.rows.push_back(compare_series(series, *other, alpha));
    }
  }
  for (const Series& series : after.series) {
    if (find_series(before, series.name) == nullptr) comparison.only_after.push_back(series.name);
  }
  return comparison;
}

std::string to_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> times = {
      {"benchmark", "old ns/op", "new ns/op", "delta", ""}};
  std::vector<std::vector<std::string>> speeds = {
      {"benchmark", "old MB/s", "new MB/s", "speedup", ""}};
  bool untestable = false;
  for (const ComparedRow& row : comparison.rows) {
    untestable = untestable || !row.testable;
    times.push_back({row.name, format_value(row.before), format_value(row.after),
                     row.significant ? fmt::format("{:+.2f}%", row.delta_percent) : "~",
                     format_p(row)});
    if (row.speed_before > 0 && row.speed_after > 0) {
      speeds.push_back(
          {row.name, fmt::format("{:.2f}", row.speed_before),
           fmt::format("{:.2f}", row.speed_after),
           row.significant ? fmt::format("{:.2f}x", row.speed_after / row.speed_before) : "~",
           format_p(row)});
    }
  }
  std::string text;
  if (times.size() > 1) text += format_table(times);
  if (speeds.size() > 1) text += "\n" + format_table(speeds);
  if (untestable) {
    text +=
        fmt::format("\nrows with fewer than {} rounds can be told apart from chance by no test\n",
                    kFewestForSignificance);
  }
  for (const std::string& name : comparison.only_before) text += "only in old: " + name + "\n";
  for (const std::string& name : comparison.only_after) text += "only in new: " + name + "\n";
  return text;
}

std::vector<const ComparedRow*> rows_slower_by(const Comparison& comparison, double percent) {
  std::vector<const ComparedRow*> slower;
  for (const ComparedRow& row : comparison.rows) {
    if (row.delta_percent > percent && (row.significant || !row.testable)) slower.push_back(&row);
  }
  return slower;
}

}  // namespace assay::tools
