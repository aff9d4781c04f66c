// `assay bench fsck REPO`: whole runs against other programs, and what SHA-1 takes of ours with
// each kernel.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "sha1/kernel.h"
#include "tools/bench/bench.h"
#include "tools/bench/child_process.h"
#include "tools/bench/fsck_figures.h"
#include "tools/bench/implementation.h"
#include "tools/bench/rivals.h"
#include "tools/bench/statistics.h"

namespace assay::tools {
namespace {

constexpr std::string_view kOurselves = "/proc/self/exe";
constexpr unsigned kDefaultRounds = 5;
constexpr unsigned kDefaultShareRounds = 3;

// One program with its options, and what its runs took.
struct Racer {
  std::string name;
  ChildCommand command;
  std::vector<double> wall;
  std::vector<double> cpu;
  double peak_megabytes = 0;
  std::vector<FsckFigures> figures;  // of our own runs that are asked for them

  Series series(std::string_view repository) const {
    Series series{fmt::format("fsck/{}/{}", name, repository), 0, wall.size(), {}, wall};
    for (const double seconds : wall) series.nanoseconds.push_back(seconds * 1e9);
    return series;
  }
};

class FsckBench {
 public:
  FsckBench(Context& context, const FsckBenchOptions& options)
      : context_(context), options_(options) {}

  int run();

 private:
  Racer make_own(std::string name) const;
  Racer make_rival(const std::string& program) const;
  Racer make_kernel(const sha1::Kernels& kernels, bool detect) const;
  std::optional<ChildResult> run_once(Racer& racer);
  std::optional<bool> compare_verdicts(std::vector<Racer>& racers);
  bool race(std::vector<Racer>& racers, std::uint64_t rounds);
  bool measure_shares();
  void say(std::string_view text);
  void show_progress(std::string_view text);
  void print_race(std::span<const Racer> racers);
  void print_shares(std::span<const Racer> racers);
  void print_rival_share(const Racer& plain);

  Context& context_;
  const FsckBenchOptions& options_;
  std::string repository_name_;
  BenchReport report_;
};

void FsckBench::say(std::string_view text) {
  if (options_.format != BenchFormat::kText) return;
  context_.out.write(text);
  context_.out.flush();
}

// Runs take a while: says which one it is, on one line of a terminal.
void FsckBench::show_progress(std::string_view text) {
  if (::isatty(context_.err.fd()) != 0) context_.err.write(fmt::format("\r\x1b[K{}", text));
}

// Returns: the program by a path that holds in another directory, too.
std::string absolute_program(const std::string& program) {
  if (program.find('/') == std::string::npos || program.starts_with('/')) return program;
  std::error_code error;
  const auto path = std::filesystem::absolute(program, error);
  return error ? program : path.string();
}

Racer FsckBench::make_own(std::string name) const {
  Racer racer;
  racer.name = std::move(name);
  racer.command.arguments = {
      options_.program.empty() ? std::string(kOurselves) : absolute_program(options_.program),
      "fsck", "--full", "--no-progress"};
  if (options_.threads) {
    racer.command.arguments.push_back("-j");
    racer.command.arguments.push_back(std::to_string(*options_.threads));
  }
  racer.command.directory = options_.repository;
  // The repository is the one that was named, and words are to be compared.
  racer.command.removed = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"};
  racer.command.environment = {{"LC_ALL", "C"}};
  return racer;
}

Racer FsckBench::make_rival(const std::string& program) const {
  Racer racer = make_own(program);
  racer.command.arguments = {absolute_program(program), "fsck", "--full", "--no-progress"};
  return racer;
}

Racer FsckBench::make_kernel(const sha1::Kernels& kernels, bool detect) const {
  Racer racer = make_own(fmt::format("{}/{}", kernels.name, detect ? "detect" : "plain"));
  racer.command.environment.emplace_back("ASSAY_SHA1_KERNEL", kernels.name);
  racer.command.arguments.push_back("--profile");
  racer.command.arguments.push_back("--no-stats");
  if (!detect) racer.command.arguments.push_back("--no-collision-detection");
  return racer;
}

std::optional<ChildResult> FsckBench::run_once(Racer& racer) {
  auto result = run_child(racer.command);
  if (!result) {
    die(context_, fmt::format("cannot run {} in '{}': {}", racer.name, options_.repository,
                              result.error().text()));
    return std::nullopt;
  }
  return std::move(*result);
}

// Returns: whether all of them found the same, having said so; nothing when one cannot be run.
std::optional<bool> FsckBench::compare_verdicts(std::vector<Racer>& racers) {
  std::vector<ChildResult> results;
  for (Racer& racer : racers) {
    auto result = run_once(racer);
    if (!result) return std::nullopt;
    results.push_back(std::move(*result));
  }
  bool same = true;
  const ChildResult& ours = results.front();
  for (std::size_t i = 1; i < racers.size(); ++i) {
    const ChildResult& theirs = results[i];
    std::string verdict;
    bool agrees = false;
    if (ours.status != theirs.status) {
      verdict = fmt::format("EXIT STATUS DIFFERS: {} and {}", ours.status, theirs.status);
      if (!theirs.err.empty()) verdict += " (" + theirs.err.substr(0, theirs.err.find('\n')) + ")";
    } else if (findings_of(ours.out) == findings_of(theirs.out)) {
      agrees = true;
      verdict = fmt::format("the same: exit status {}, {} lines of findings", ours.status,
                            findings_of(ours.out).size());
    } else if (findings_without_from(ours.out) == findings_without_from(theirs.out)) {
      agrees = true;
      verdict = fmt::format(
          "the same but for the objects that broken links come from: exit status {}, {} lines",
          ours.status, findings_of(ours.out).size());
    } else {
      verdict = "FINDINGS DIFFER";
    }
    if (!agrees) {
      same = false;
      print_error(context_, fmt::format("verdict of {}: {}", racers[i].name, verdict));
    }
    say(fmt::format("verdict of assay and {}: {}\n", racers[i].name, verdict));
    report_.circumstances.emplace_back("verdict of " + racers[i].name, verdict);
  }
  return same;
}

// Runs all by turns. Returns: false when one cannot be run.
bool FsckBench::race(std::vector<Racer>& racers, std::uint64_t rounds) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t place = 0; place < racers.size(); ++place) {
      Racer& racer = racers[round % 2 == 0 ? place : racers.size() - 1 - place];
      show_progress(fmt::format("round {} of {}: {}", round + 1, rounds, racer.name));
      const auto result = run_once(racer);
      if (!result) return false;
      racer.wall.push_back(result->wall_seconds);
      racer.cpu.push_back(result->cpu_seconds);
      racer.peak_megabytes = std::max(racer.peak_megabytes, result->peak_megabytes);
      if (const auto figures = parse_profile(result->err)) racer.figures.push_back(*figures);
    }
  }
  show_progress("");
  return true;
}

void FsckBench::print_race(std::span<const Racer> racers) {
  say(fmt::format("\n{:<20} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "program", "median[s]",
                  "min[s]", "max[s]", "x assay", "CPU[s]", "peak[MB]"));
  const double ours = median(racers.front().wall);
  for (const Racer& racer : racers) {
    const double time = median(racer.wall);
    say(fmt::format("{:<20} {:>9.3f} {:>8.3f} {:>8.3f} {:>8.2f} {:>8.2f} {:>9.1f}\n", racer.name,
                    time, *std::min_element(racer.wall.begin(), racer.wall.end()),
                    *std::max_element(racer.wall.begin(), racer.wall.end()), time / ours,
                    median(racer.cpu), racer.peak_megabytes));
  }
}

// Returns: the round whose share is the median (of an even number, the smaller in the middle).
const FsckFigures& median_figures(const Racer& racer) {
  std::vector<const FsckFigures*> sorted;
  for (const FsckFigures& figures : racer.figures) sorted.push_back(&figures);
  std::sort(sorted.begin(), sorted.end(),
            [](const FsckFigures* a, const FsckFigures* b) { return a->share() < b->share(); });
  return *sorted[(sorted.size() - 1) / 2];
}

// One line of the table of shares, from processor times.
std::string share_line(std::string_view name, std::string_view wall, double cpu, double sha1,
                       std::uint64_t bytes) {
  return fmt::format("{:<27} {:>9} {:>8.3f} {:>8.3f} {:>6.1f} % {:>11.1f}\n", name, wall, cpu, sha1,
                     cpu > 0 ? 100 * sha1 / cpu : 0,
                     sha1 > 0 ? static_cast<double>(bytes) * 1e-6 / sha1 : 0);
}

void FsckBench::print_shares(std::span<const Racer> racers) {
  say(fmt::format("\n{:<27} {:>9} {:>8} {:>8} {:>8} {:>11}\n", "SHA-1's share of assay fsck",
                  "median[s]", "CPU[s]", "SHA-1[s]", "share", "SPEED[MB/s]"));
  for (const Racer& racer : racers) {
    const std::string wall = fmt::format("{:.3f}", median(racer.wall));
    if (racer.figures.empty()) {
      say(fmt::format("{:<27} {:>9} no figures\n", racer.name, wall));
      continue;
    }
    const FsckFigures& figures = median_figures(racer);
    const double cpu = median(racer.cpu);
    say(share_line(racer.name, wall, cpu, figures.share() * cpu, figures.hashed_bytes));
  }
}

// What share OpenSSL would have in place of our plain kernel: its time for a message is a constant
// and so much a byte, both measured here, so its time for all objects follows from their number and
// bytes.
void FsckBench::print_rival_share(const Racer& plain) {
  if (plain.figures.empty()) return;
  const FsckFigures& figures = median_figures(plain);
  for (const auto& rival : find_rivals().implementations) {
    double nanoseconds[2];
    double bytes[2] = {64, 16384};
    for (int i = 0; i < 2; ++i) {
      const MessageSet set = MessageSet::of_size(static_cast<std::uint64_t>(bytes[i]));
      std::vector<sha1::Digest> digests(set.messages().size());
      Contestant contestant;
      contestant.unit = digests.size();
      contestant.call = [&](std::uint64_t calls) {
        for (; calls > 0; --calls) rival->hash(set.messages(), digests);
      };
      nanoseconds[i] = median(take_turns({&contestant, 1}, Turns{}).front().nanoseconds);
    }
    const double per_byte = (nanoseconds[1] - nanoseconds[0]) / (bytes[1] - bytes[0]);
    const double per_message = std::max(0.0, nanoseconds[0] - bytes[0] * per_byte);
    const double seconds = 1e-9 * (per_message * static_cast<double>(figures.objects) +
                                   per_byte * static_cast<double>(figures.hashed_bytes));
    const double others = median(plain.cpu) * (1 - figures.share());
    say(share_line(rival->name() + " (computed)", "", others + seconds, seconds,
                   figures.hashed_bytes));
  }
}

bool FsckBench::measure_shares() {
  std::vector<Racer> racers;
  std::size_t plain = 0;  // the row that rivals are computed from: the best, without detection
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    const auto& wanted = options_.kernels;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kernels.name) == wanted.end()) {
      continue;
    }
    if (!sha1::usable(kernels)) {
      report_.circumstances.emplace_back("not measured: " + std::string(kernels.name),
                                         "this processor cannot run it");
      say(fmt::format("not measured: {}: this processor cannot run it\n", kernels.name));
      continue;
    }
    // Old code detects by the portable detector, which says nothing of it: only when asked for.
    if (!is_for_comparison(kernels) || !wanted.empty())
      racers.push_back(make_kernel(kernels, true));
    racers.push_back(make_kernel(kernels, false));
    if (plain == 0) plain = racers.size() - 1;
  }
  if (racers.empty()) return true;
  const std::uint64_t rounds =
      std::min<std::uint64_t>(options_.rounds.value_or(kDefaultShareRounds), kDefaultShareRounds);
  if (!race(racers, rounds)) return false;
  print_shares(racers);
  if (options_.format == BenchFormat::kText) print_rival_share(racers[plain]);
  for (const Racer& racer : racers) {
    report_.series.push_back(racer.series(repository_name_));
    if (racer.figures.empty()) continue;
    report_.circumstances.emplace_back(
        "SHA-1 share " + racer.name, fmt::format("{:.1f} %", 100 * median_figures(racer).share()));
  }
  return true;
}

int FsckBench::run() {
  // "…/project/repo" and "…/project/.git" are named after the project.
  std::string path = options_.repository;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  for (const std::string_view end : {"/.git", "/repo"}) {
    if (path.size() > end.size() && path.ends_with(end)) path.resize(path.size() - end.size());
  }
  repository_name_ = path.substr(path.rfind('/') + 1);

  report_.circumstances = describe_machine();
  for (const auto& [key, value] : report_.circumstances) say(fmt::format("{}: {}\n", key, value));
  std::vector<Racer> racers;
  racers.push_back(make_own("assay"));
  for (const std::string& program : options_.against) {
    racers.push_back(make_rival(program));
    Racer version = racers.back();
    version.command.arguments = {absolute_program(program), "--version"};
    if (const auto result = run_once(version)) {
      const std::string text = result->out.substr(0, result->out.find('\n'));
      say(fmt::format("{}: {}\n", program, text));
      report_.circumstances.emplace_back(program, text);
    } else {
      return kExitFatal;
    }
  }
  const auto same = compare_verdicts(racers);
  if (!same) return kExitFatal;
  const std::uint64_t rounds = options_.rounds.value_or(kDefaultRounds);
  if (!race(racers, rounds)) return kExitFatal;
  print_race(racers);
  for (const Racer& racer : racers) report_.series.push_back(racer.series(repository_name_));
  if (options_.shares && !measure_shares()) return kExitFatal;
  write_report(context_, options_.format, report_);
  return *same ? 0 : 1;
}

}  // namespace

int run_bench_fsck(Context& context, const FsckBenchOptions& options) {
  return FsckBench(context, options).run();
}

}  // namespace assay::tools
