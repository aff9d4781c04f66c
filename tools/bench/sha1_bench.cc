// `assay bench sha1`: kernels and rivals by turns, over sizes and over mixes of sizes.

#include <fmt/format.h>

#include <algorithm>

#include "tools/bench/bench.h"
#include "tools/bench/implementation.h"
#include "tools/bench/rivals.h"
#include "tools/bench/statistics.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kDefaultSizes[] = {8, 64, 256, 1024, 8192, 16384, 65536, 1048576};
// For many rounds, as the programs of 2009 had it: 62500 KB in a million rounds.
constexpr std::uint64_t kSizeOfManyRounds = 64;
// Digests of messages one at a time are compared over so many bytes of a set; batches over all.
constexpr std::uint64_t kComparedBytes = std::uint64_t{4} << 20;
// Where no number of rounds is given, TIME is for so many bytes.
constexpr double kTimedBytes = 1e9;

class Sha1Bench {
 public:
  Sha1Bench(Context& context, const Sha1BenchOptions& options)
      : context_(context), options_(options) {}

  int run();

 private:
  void choose_implementations();
  void choose_messages();
  bool many_rounds() const { return options_.rounds && *options_.rounds > kMostTurns; }
  void add_kernels(std::span<const sha1::Kernels* const> kernels, sha1::Detect detect, bool batch);
  void print_head();
  void measure(const MessageSet& set);
  std::vector<bool> compare_digests(const MessageSet& set);
  void print_table(const MessageSet& set, std::span<const Series> rows,
                   const std::vector<bool>& equal);

  Context& context_;
  const Sha1BenchOptions& options_;
  Implementations implementations_;
  Circumstances circumstances_;
  Circumstances absent_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::string> mixes_;
  BenchReport report_;
  bool all_equal_ = true;
};

void Sha1Bench::choose_implementations() {
  const auto& wanted = options_.kernels;
  // From the plainest to the best, as history went; the table of kernels begins with the best.
  std::vector<const sha1::Kernels*> kernels;
  for (const sha1::Kernels& row : sha1::all_kernels()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), row.name) == wanted.end()) {
      continue;
    }
    if (sha1::usable(row)) {
      kernels.insert(kernels.begin(), &row);
    } else {
      const auto missing = row.required & ~sha1::cpu_features();
      absent_.emplace_back(row.name, "this processor lacks " + sha1::cpu_feature_names(missing));
    }
  }
  circumstances_ = describe_machine();
  circumstances_.emplace_back("kernel", sha1::best().name);
  add_kernels(kernels, sha1::Detect::kOff, false);
  if (options_.rivals) {
    Rivals rivals = find_rivals();
    for (auto& rival : rivals.implementations) implementations_.push_back(std::move(rival));
    for (auto& version : rivals.versions) circumstances_.push_back(std::move(version));
    for (auto& absent : rivals.absent) absent_.push_back(std::move(absent));
  }
  add_kernels(kernels, sha1::Detect::kOn, false);
  add_kernels(kernels, sha1::Detect::kOff, true);
  add_kernels(kernels, sha1::Detect::kOn, true);
}

void Sha1Bench::add_kernels(std::span<const sha1::Kernels* const> kernels, sha1::Detect detect,
                            bool batch) {
  if (options_.detect && *options_.detect != (detect == sha1::Detect::kOn)) return;
  if (options_.one != options_.batch && options_.batch != batch) return;
  for (const sha1::Kernels* row : kernels) {
    // Old code detects by the portable detector, which says nothing of it; a batch without lanes is
    // one message after the other. Both are measured when they are asked for.
    const bool asked_for = !options_.kernels.empty();
    if (!batch) {
      if (detect == sha1::Detect::kOn && is_for_comparison(*row) && !asked_for) continue;
      implementations_.push_back(make_one(*row, detect));
    } else if (row->lanes > 0 || (asked_for && options_.batch)) {
      implementations_.push_back(make_batch(*row, detect));
    }
  }
}

void Sha1Bench::choose_messages() {
  sizes_ = options_.sizes;
  mixes_ = options_.mixes;
  if (!sizes_.empty() || !mixes_.empty()) return;
  if (many_rounds()) {
    sizes_.push_back(kSizeOfManyRounds);
    return;
  }
  sizes_.assign(std::begin(kDefaultSizes), std::end(kDefaultSizes));
  mixes_.assign(mix_names().begin(), mix_names().end());
}

int Sha1Bench::run() {
  choose_implementations();
  choose_messages();
  const bool any_own = std::any_of(implementations_.begin(), implementations_.end(),
                                   [](const auto& row) { return !row->is_rival(); });
  if (!any_own) {
    for (const auto& [name, why] : absent_) print_error(context_, name + ": " + why);
    print_error(context_, "no kernel to measure");
    return 1;
  }
  if (options_.format == BenchFormat::kText) print_head();
  for (const std::uint64_t size : sizes_) measure(MessageSet::of_size(size));
  for (const std::string& mix : mixes_) measure(MessageSet::of_mix(mix));
  report_.circumstances = circumstances_;
  for (const auto& [name, why] : absent_) {
    report_.circumstances.emplace_back("not measured: " + name, why);
  }
  write_report(context_, options_.format, report_);
  if (!all_equal_) print_error(context_, "digests differ");
  return all_equal_ ? 0 : 1;
}

void Sha1Bench::print_head() {
  for (const auto& [key, value] : circumstances_) {
    context_.out.write(fmt::format("{}: {}\n", key, value));
  }
  for (const auto& [name, why] : absent_) {
    context_.out.write(fmt::format("not measured: {}: {}\n", name, why));
  }
  context_.out.write(fmt::format(
      "median of {} turns of this thread's processor time, TIME is for {}\n", options_.turns.rounds,
      many_rounds() ? fmt::format("{} hashes", *options_.rounds) : std::string("1 GB")));
}

// Hashes the set and compares with the digests of the portable kernel.
// Returns: for each implementation, whether it gave these.
std::vector<bool> Sha1Bench::compare_digests(const MessageSet& set) {
  const auto messages = set.messages();
  std::vector<sha1::Digest> expected(messages.size());
  make_one(*sha1::find_kernels("portable"), sha1::Detect::kOff)->hash(messages, expected);
  std::vector<bool> equal;
  for (const auto& implementation : implementations_) {
    std::size_t count = messages.size();
    if (!implementation->is_batch() && set.total_bytes() > kComparedBytes) {
      count = std::max<std::size_t>(1, static_cast<std::size_t>(kComparedBytes / set.mean_bytes()));
    }
    std::vector<sha1::Digest> digests(count);
    implementation->hash(messages.first(count), digests);
    equal.push_back(std::equal(digests.begin(), digests.end(), expected.begin()));
    if (!equal.back()) all_equal_ = false;
  }
  return equal;
}

void Sha1Bench::measure(const MessageSet& set) {
  const std::vector<bool> equal = compare_digests(set);
  std::vector<sha1::Digest> digests(set.messages().size());
  std::vector<Contestant> contestants;
  for (const auto& implementation : implementations_) {
    contestants.push_back(make_contestant(*implementation, set, digests));
  }
  std::vector<Series> rows = take_turns(contestants, options_.turns);
  if (options_.format == BenchFormat::kText) print_table(set, rows, equal);
  for (Series& row : rows) report_.series.push_back(std::move(row));
}

void Sha1Bench::print_table(const MessageSet& set, std::span<const Series> rows,
                            const std::vector<bool>& equal) {
  double yardstick = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (implementations_[i]->name() == kYardstick) yardstick = median(rows[i].nanoseconds);
  }
  const std::string title = set.is_mix()
                                ? fmt::format("{}, mean {:.0f} bytes", set.name(), set.mean_bytes())
                                : fmt::format("{} bytes", set.name());
  context_.out.write(fmt::format("\n{:<30} {:>8} {:>11} {:>11} {:>6} {:>7}\n", title, "TIME[s]",
                                 "SPEED[MB/s]", "ns/op", "x EVP", "digests"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Implementation& row = *implementations_[i];
    const double time = median(rows[i].nanoseconds);
    const double speed = megabytes_per_second(rows[i].bytes, time);
    const double timed = many_rounds() ? time * static_cast<double>(*options_.rounds) * 1e-9
                         : speed > 0   ? kTimedBytes / speed * 1e-6
                                       : 0;
    const std::string label = fmt::format("{:<5} {:<17} {}", row.is_batch() ? "batch" : "one",
                                          row.name(), row.detecting() ? "detect" : "plain");
    context_.out.write(fmt::format("{:<30} {:>8.3f} {:>11.1f} {:>11.1f} {:>6} {:>7}\n", label,
                                   timed, speed, time,
                                   yardstick > 0 ? fmt::format("{:.2f}", yardstick / time) : "-",
                                   equal[i] ? "equal" : "DIFFER"));
  }
  context_.out.flush();
}

}  // namespace

int run_bench_sha1(Context& context, const Sha1BenchOptions& options) {
  return Sha1Bench(context, options).run();
}

}  // namespace assay::tools
