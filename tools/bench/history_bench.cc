// `assay bench sha1 --table`: the tables of the programs and changes from which this project grew.
//
// 2009: the variants that were compared on git's list in August 2009, each hashing one message that
// is given in a million pieces of 64 bytes, with TIME and SPEED.
// f1: both ways to write Ch, (b & c) | (~b & d), old, and d ^ (b & (c ^ d)), new.
// asm: code that a compiler wrote, old, and assembly, new. The last two in the shape of Go's
// benchcmp at 8 bytes, 1 KiB and 8 KiB.

#include <fmt/format.h>

#include <algorithm>

#include "store/base/object_id.h"
#include "tools/bench/bench.h"
#include "tools/bench/comparison.h"
#include "tools/bench/implementation.h"
#include "tools/bench/rivals.h"
#include "tools/bench/statistics.h"

namespace assay::tools {
namespace {

constexpr std::uint64_t kRoundsOf2009 = 1'000'000;
constexpr std::uint64_t kPieceOf2009 = 64;
constexpr std::uint64_t kDefaultSizes[] = {8, 1024, 8192};

// A kernel with this behind its name differs from the one without in how it writes Ch.
constexpr std::string_view kOldF1 = "_f1_or";
// Kernels in assembly, by the name of what they are written for.
constexpr std::string_view kAssembly[] = {"amd64", "i386", "armv7", "armv8_sha1"};
constexpr std::string_view kGeneric = "portable";

struct OldAndNew {
  std::string name;  // of the pair
  const sha1::Kernels* before;
  const sha1::Kernels* after;
};

class HistoryBench {
 public:
  HistoryBench(Context& context, const Sha1BenchOptions& options)
      : context_(context), options_(options) {}

  int run();

 private:
  void say(std::string_view text);
  void say_circumstances();
  bool is_usable(const sha1::Kernels& kernels);
  void measure_2009();
  std::vector<OldAndNew> find_pairs();
  void measure_pairs();

  Context& context_;
  const Sha1BenchOptions& options_;
  BenchReport report_;
  bool all_equal_ = true;
};

void HistoryBench::say(std::string_view text) {
  if (options_.format != BenchFormat::kText) return;
  context_.out.write(text);
  context_.out.flush();
}

void HistoryBench::say_circumstances() {
  for (const auto& [key, value] : report_.circumstances) say(fmt::format("{}: {}\n", key, value));
}

// Returns: whether this processor can run it, having noted when it cannot.
bool HistoryBench::is_usable(const sha1::Kernels& kernels) {
  if (sha1::usable(kernels)) return true;
  const auto missing = kernels.required & ~sha1::cpu_features();
  report_.circumstances.emplace_back("not measured: " + std::string(kernels.name),
                                     "this processor lacks " + sha1::cpu_feature_names(missing));
  return false;
}

void HistoryBench::measure_2009() {
  const std::uint64_t rounds = options_.rounds.value_or(kRoundsOf2009);
  const std::uint64_t size = options_.sizes.empty() ? kPieceOf2009 : options_.sizes.front();
  const double bytes = static_cast<double>(rounds) * static_cast<double>(size);

  // From the oldest to what is used today, then the others.
  Implementations implementations;
  const auto kernels = sha1::all_kernels();
  std::vector<sha1::Compress*> seen;
  for (std::size_t i = kernels.size(); i-- > 0;) {
    // Rows that share their function for one message are one row here.
    if (std::find(seen.begin(), seen.end(), kernels[i].compress) != seen.end()) continue;
    if (!is_usable(kernels[i])) continue;
    seen.push_back(kernels[i].compress);
    implementations.push_back(make_one(kernels[i], sha1::Detect::kOff));
  }
  if (options_.rivals) {
    Rivals rivals = find_rivals();
    for (auto& rival : rivals.implementations) implementations.push_back(std::move(rival));
    for (auto& version : rivals.versions) report_.circumstances.push_back(std::move(version));
  }

  const std::vector<std::uint8_t> piece(static_cast<std::size_t>(size), std::uint8_t{'a'});
  std::vector<sha1::Digest> digests;
  std::vector<Contestant> contestants;
  Turns turns = options_.turns;
  if (options_.rounds) turns.rounds = Turns{}.rounds;  // they are pieces, not turns
  turns.operations = (rounds + turns.rounds - 1) / turns.rounds;
  for (const auto& implementation : implementations) {
    digests.push_back(implementation->hash_stream(piece, rounds));
    Contestant contestant;
    contestant.name = implementation->row_prefix() + fmt::format("{:.0f}", bytes);
    contestant.call = [&piece, row = implementation.get()](std::uint64_t pieces) {
      const sha1::Digest digest = row->hash_stream(piece, pieces);
      touch_memory(&digest);
    };
    contestants.push_back(std::move(contestant));
  }
  std::vector<Series> rows = take_turns(contestants, turns);

  say_circumstances();
  say(fmt::format("Rounds: {}, size: {:.0f}K\nSHA-1: {}\n", rounds, bytes / 1024,
                  to_hex(digests[0])));
  say(fmt::format("median of {} turns of this thread's processor time\n\n", turns.rounds));
  const std::string ratio = "x " + implementations.front()->name();
  say(fmt::format("#{:<21} {:>9} {:>12} {:>11}  {}\n", "", "TIME[s]", "SPEED[MB/s]", ratio,
                  "digest"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // An operation of the report is the whole message, of a turn a piece.
    for (double& time : rows[i].nanoseconds) time *= static_cast<double>(rounds);
    for (double& time : rows[i].wall_seconds) time *= static_cast<double>(rounds);
    rows[i].bytes = bytes;
    rows[i].operations = turns.rounds;
    const double time = median(rows[i].nanoseconds);
    const bool equal = digests[i] == digests[0];
    all_equal_ = all_equal_ && equal;
    say(fmt::format("{:<22} {:>9.4f} {:>12.1f} {:>11.2f}  {}\n", implementations[i]->name(),
                    time * 1e-9, megabytes_per_second(bytes, time),
                    median(rows[0].nanoseconds) / time,
                    equal ? "equal" : "DIFFERS: " + to_hex(digests[i])));
  }
  report_.series = std::move(rows);
}

std::vector<OldAndNew> HistoryBench::find_pairs() {
  std::vector<OldAndNew> pairs;
  const auto add = [&](const sha1::Kernels* before, const sha1::Kernels* after) {
    if (before == nullptr || after == nullptr) return;
    if (!is_usable(*before) || !is_usable(*after)) return;
    pairs.push_back({fmt::format("sha1/{}", after->name), before, after});
  };
  if (options_.table == HistoryTable::kAssembly) {
    for (const std::string_view name : kAssembly) {
      add(sha1::find_kernels(kGeneric), sha1::find_kernels(name));
    }
    return pairs;
  }
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    std::string_view name = kernels.name;
    if (!name.ends_with(kOldF1)) continue;
    name.remove_suffix(kOldF1.size());
    add(&kernels, sha1::find_kernels(name));
  }
  return pairs;
}

void HistoryBench::measure_pairs() {
  const bool is_f1 = options_.table == HistoryTable::kF1;
  const std::vector<OldAndNew> pairs = find_pairs();
  say_circumstances();
  say(fmt::format("old: {}, new: {}; median of {} turns of this thread's processor time\n\n",
                  is_f1 ? "f1 = (b & c) | (~b & d)" : "C++",
                  is_f1 ? "f1 = d ^ (b & (c ^ d))" : "assembly", options_.turns.rounds));
  std::vector<std::uint64_t> sizes = options_.sizes;
  if (sizes.empty()) sizes.assign(std::begin(kDefaultSizes), std::end(kDefaultSizes));
  std::vector<std::vector<Series>> all_rows;  // of each size: old and new of each pair
  for (const std::uint64_t size : sizes) {
    const MessageSet set = MessageSet::of_size(size);
    Implementations implementations;
    std::vector<Contestant> contestants;
    std::vector<sha1::Digest> expected;
    std::vector<sha1::Digest> digests(set.messages().size());
    for (const OldAndNew& pair : pairs) {
      for (const sha1::Kernels* kernels : {pair.before, pair.after}) {
        implementations.push_back(make_one(*kernels, sha1::Detect::kOff));
        implementations.back()->hash(set.messages(), digests);
        if (expected.empty()) expected = digests;
        all_equal_ = all_equal_ && digests == expected;
        contestants.push_back(make_contestant(*implementations.back(), set, digests));
      }
    }
    all_rows.push_back(take_turns(contestants, options_.turns));
  }
  BenchReport before;
  BenchReport after;
  for (std::size_t i = 0; i < 2 * pairs.size(); ++i) {
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      Series row = all_rows[at][i];
      report_.series.push_back(row);
      row.name = fmt::format("{}/{}", pairs[i / 2].name, sizes[at]);
      (i % 2 == 0 ? before : after).series.push_back(std::move(row));
    }
  }
  if (pairs.empty()) return say("this build has no such pair of kernels\n");
  say(to_text(compare_reports(before, after, CompareOptions{}.alpha)));
  say(all_equal_ ? "\nall digests are equal\n" : "\nDIGESTS DIFFER\n");
}

int HistoryBench::run() {
  report_.circumstances = describe_machine();
  if (options_.table == HistoryTable::k2009) {
    measure_2009();
  } else {
    measure_pairs();
  }
  write_report(context_, options_.format, report_);
  if (!all_equal_) print_error(context_, "digests differ");
  return all_equal_ ? 0 : 1;
}

}  // namespace

int run_bench_history(Context& context, const Sha1BenchOptions& options) {
  return HistoryBench(context, options).run();
}

}  // namespace assay::tools
