#include "tools/bench/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sha1/kernel.h"
#include "tools/bench/messages.h"
#include "tools/common/byte_size.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kMostRounds = 1'000'000'000;
constexpr std::uint64_t kMostRuns = 1000;
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 30;
constexpr double kMostPercent = 1e6;
constexpr unsigned kLongestTurn = 60'000;  // milliseconds

std::string known_kernels() {
  std::string known;
  for (const sha1::Kernels& kernels : sha1::all_kernels())
    known += fmt::format(" {}", kernels.name);
  return known;
}

// Turns a text into an error text when something is wrong with it.
std::string check_kernel(const std::string& name) {
  if (sha1::find_kernels(name) != nullptr) return {};
  return fmt::format("no SHA-1 kernel '{}'; there are{}", name, known_kernels());
}

std::string check_size(const std::string& text) {
  const auto size = parse_byte_size(text);
  if (size && *size > 0 && *size <= kLargestSize) return {};
  return fmt::format("'{}' is no number of bytes from 1 to 1g", text);
}

std::string check_size_or_mix(const std::string& text) {
  const auto mixes = mix_names();
  if (std::find(mixes.begin(), mixes.end(), text) != mixes.end()) return {};
  const std::string problem = check_size(text);
  if (problem.empty() || text == "0") return {};
  return fmt::format("{}, nor one of {}", problem, fmt::join(mixes, ", "));
}

// A list: --name VALUE[,VALUE...], may be repeated. It takes one word at a time, so that what
// follows it may be positional.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& help, const std::string& placeholder) {
  return app.add_option(name, values, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text(placeholder);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& value,
                        std::uint64_t least, std::uint64_t most, const std::string& help) {
  return app
      .add_option_function<std::uint64_t>(
          name, [&value](const std::uint64_t& number) { value = number; }, help)
      ->check(CLI::Range(least, most))
      ->option_text("N");
}

void add_format(CLI::App& app, BenchFormat& format) {
  app.add_option_function<std::string>(
         "--format", [&format](const std::string& name) { format = *parse_bench_format(name); },
         "text (default), json, gobench or markdown")
      ->check(CLI::IsMember({"text", "json", "gobench", "markdown"}))
      ->option_text("FORMAT");
}

void add_turn(CLI::App& app, Turns& turns) {
  app.add_option_function<unsigned>(
         "--turn", [&turns](const unsigned& milliseconds) { turns.seconds = milliseconds * 1e-3; },
         "let a turn take that many milliseconds at least (default 5)")
      ->check(CLI::Range(1U, kLongestTurn))
      ->option_text("MS");
}

// A few rounds are turns; many are operations, shared out among the turns.
void share_rounds(std::uint64_t rounds, Turns& turns) {
  turns.rounds = static_cast<unsigned>(std::min(rounds, kMostTurns));
  turns.operations = (rounds + turns.rounds - 1) / turns.rounds;
}

// What CLI11 fills that is not yet what the benchmarks want.
struct Raw {
  std::vector<std::string> sha1_sizes;
  std::vector<std::string> rc4_sizes;
  std::optional<std::uint64_t> rc4_rounds;
  bool no_rivals = false;
  std::vector<std::string> against;
  bool alone = false;
  bool no_shares = false;
};

void add_sha1(CLI::App& bench, Sha1BenchOptions& options, Raw& raw) {
  CLI::App& app = *bench.add_subcommand("sha1", "Measure SHA-1: our kernels and other libraries.");
  add_list(app, "--kernel", options.kernels, "only these kernels", "NAME,...")->check(check_kernel);
  add_list(app, "--size", raw.sha1_sizes,
           "messages of that many bytes (units k, m, g),\nor a mix of sizes: mix_250, mix_700, "
           "mix_2000, mix_tail",
           "BYTES,...")
      ->check(check_size_or_mix);
  app.add_flag("--one", options.one, "only one message at a time");
  app.add_flag("--batch", options.batch, "only many messages at once, in lanes");
  app.add_option_function<std::string>(
         "--detect", [&options](const std::string& value) { options.detect = value == "on"; },
         "only with detection of collision attacks, or only without")
      ->check(CLI::IsMember({"on", "off"}))
      ->option_text("on|off");
  app.add_flag("--no-rivals", raw.no_rivals, "no other libraries");
  add_number(app, "--rounds", options.rounds, 1, kMostRounds,
             "up to 100: so many turns (default 9);\nmore: so many hashes, of 64 bytes where no "
             "size is given");
  add_turn(app, options.turns);
  app.add_option_function<std::string>(
         "--table",
         [&options](const std::string& name) {
           options.table = name == "2009" ? HistoryTable::k2009
                           : name == "f1" ? HistoryTable::kF1
                                          : HistoryTable::kAssembly;
         },
         "a table from the history of SHA-1 in git and Go:\n2009: the variants of that year, TIME "
         "and SPEED of a million rounds\nf1: the two ways to write f1, old and new\n"
         "asm: what compilers write, old, and assembly, new")
      ->check(CLI::IsMember({"2009", "f1", "asm"}))
      ->option_text("2009|f1|asm");
  add_format(app, options.format);
}

void add_rc4(CLI::App& bench, Rc4BenchOptions& options, Raw& raw) {
  CLI::App& app = *bench.add_subcommand("rc4", "Measure RC4: generic code and assembly.");
  add_list(app, "--size", raw.rc4_sizes, "so many bytes at a time (units k, m, g)", "BYTES,...")
      ->check(check_size);
  add_number(app, "--rounds", raw.rc4_rounds, 1, kMostRounds,
             "up to 100: so many turns (default 9); more: so many calls");
  add_turn(app, options.turns);
  add_format(app, options.format);
}

void add_fsck(CLI::App& bench, FsckBenchOptions& options, Raw& raw) {
  CLI::App& app =
      *bench.add_subcommand("fsck", "Run assay fsck and git fsck by turns, and compare.");
  app.add_option("REPO", options.repository, "the repository")->required()->option_text(" ");
  add_list(app, "--against", raw.against, "the gits to run (default: git)", "PROGRAM,...");
  app.add_flag("--alone", raw.alone, "run no git");
  app.add_option("--assay", options.program, "run that build of assay in place of this one")
      ->option_text("PROGRAM");
  add_list(app, "--kernel", options.kernels, "SHA-1's share with these kernels only", "NAME,...")
      ->check(check_kernel);
  app.add_flag("--no-shares", raw.no_shares, "do not measure SHA-1's share with each kernel");
  add_number(app, "--rounds", options.rounds, 1, kMostRuns,
             "run each program so often (default 5; for the shares at most 3)");
  add_number(app, "-j,--threads", options.threads, 0, kMostThreads,
             "threads of assay; git fsck has one");
  add_format(app, options.format);
}

void add_compare(CLI::App& bench, CompareOptions& options) {
  CLI::App& app = *bench.add_subcommand("compare", "Compare two reports row by row.");
  app.add_option("OLD", options.before, "a report in JSON or Go's format; - is standard input")
      ->required()
      ->option_text(" ");
  app.add_option("NEW", options.after, "another")->required()->option_text(" ");
  app.add_option_function<double>(
         "--fail-above", [&options](const double& percent) { options.fail_above = percent; },
         "exit with 1 when a row has become slower by more")
      ->check(CLI::Range(0.0, kMostPercent))
      ->option_text("PERCENT");
  app.add_option("--alpha", options.alpha, "a difference counts when its p is below (default 0.05)")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("P");
}

// Returns: what is wrong with options that are right each by itself, or an empty text.
std::string find_contradiction(const BenchCommandLine& parsed, const Raw& raw) {
  const Sha1BenchOptions& sha1 = parsed.sha1;
  if (sha1.table != HistoryTable::kNone &&
      (!sha1.kernels.empty() || sha1.one || sha1.batch || sha1.detect)) {
    return "--table chooses the rows: it goes with none of --kernel, --one, --batch, --detect";
  }
  if (sha1.table != HistoryTable::kNone && !sha1.mixes.empty()) {
    return "--table goes with sizes, not with mixes of sizes";
  }
  if (sha1.table == HistoryTable::k2009 && sha1.sizes.size() > 1) {
    return "--table 2009 has one size";
  }
  if (raw.alone && !raw.against.empty()) return "--alone excludes --against";
  return {};
}

// Moves what CLI11 filled to where it belongs. Everything was checked.
void settle(const Raw& raw, BenchCommandLine& parsed) {
  for (const std::string& text : raw.sha1_sizes) {
    if (const auto size = parse_byte_size(text)) {
      parsed.sha1.sizes.push_back(*size);
    } else {
      parsed.sha1.mixes.push_back(text);
    }
  }
  for (const std::string& text : raw.rc4_sizes) parsed.rc4.sizes.push_back(*parse_byte_size(text));
  if (parsed.sha1.rounds) share_rounds(*parsed.sha1.rounds, parsed.sha1.turns);
  if (raw.rc4_rounds) share_rounds(*raw.rc4_rounds, parsed.rc4.turns);
  parsed.sha1.rivals = !raw.no_rivals;
  parsed.fsck.shares = !raw.no_shares;
  parsed.fsck.against = raw.against;
  if (raw.against.empty() && !raw.alone) parsed.fsck.against.emplace_back("git");
}

}  // namespace

std::optional<int> parse_bench_command_line(Context& context, Arguments arguments,
                                            BenchCommandLine& parsed) {
  CLI::App bench("Measures SHA-1, RC4 and whole runs of fsck, and compares measurements.",
                 "assay bench");
  bench.require_subcommand(0, 1);
  bench.get_formatter()->column_width(26);
  bench.get_formatter()->label("SUBCOMMAND", "BENCHMARK");
  bench.get_formatter()->label("Subcommands", "Benchmarks");
  bench.add_flag("--list", parsed.list, "name the kernels: compiled, usable here, chosen");
  bench.add_flag("--self-test", parsed.self_test, "check all kernels against known answers");
  Raw raw;
  add_sha1(bench, parsed.sha1, raw);
  add_rc4(bench, parsed.rc4, raw);
  add_fsck(bench, parsed.fsck, raw);
  add_compare(bench, parsed.compare);

  // CLI11 reads a vector from its end.
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  std::string problem;
  try {
    bench.parse(std::move(words));
    settle(raw, parsed);
    problem = find_contradiction(parsed, raw);
  } catch (const CLI::CallForHelp&) {
    context.out.write(bench.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    problem = error.what();
  }
  const auto subcommands = bench.get_subcommands();
  const std::string name = subcommands.empty() ? std::string() : subcommands.front()->get_name();
  if (!problem.empty()) {
    print_error(context, problem);
    context.err.write(fmt::format("Run 'assay bench{}{} --help' for its options.\n",
                                  name.empty() ? "" : " ", name));
    return kExitUsage;
  }
  parsed.benchmark = name == "sha1"      ? BenchCommandLine::Benchmark::kSha1
                     : name == "rc4"     ? BenchCommandLine::Benchmark::kRc4
                     : name == "fsck"    ? BenchCommandLine::Benchmark::kFsck
                     : name == "compare" ? BenchCommandLine::Benchmark::kCompare
                                         : BenchCommandLine::Benchmark::kNone;
  if (name.empty() && !parsed.list && !parsed.self_test) {
    context.err.write(bench.help());
    return kExitUsage;
  }
  return std::nullopt;
}

}  // namespace assay::tools
