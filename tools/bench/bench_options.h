// What the command line of `assay bench` asks for: one struct a benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/formats.h"
#include "tools/bench/turns.h"

namespace assay::tools {

// The tables of the programs and changes from which this project grew; see history_bench.cc.
enum class HistoryTable { kNone, k2009, kF1, kAssembly };

struct Sha1BenchOptions {
  std::vector<std::string> kernels;  // names of the table; none: all
  std::vector<std::uint64_t> sizes;  // none, and no mixes: the default ones
  std::vector<std::string> mixes;    // names of messages.h
  bool one = false;                  // neither or both: both
  bool batch = false;
  bool rivals = true;
  std::optional<bool> detect;  // nothing: both
  HistoryTable table = HistoryTable::kNone;
  std::optional<std::uint64_t> rounds;  // as typed; `turns` follows it
  Turns turns;
  BenchFormat format = BenchFormat::kText;
};

struct Rc4BenchOptions {
  std::vector<std::uint64_t> sizes;  // none: the default ones
  Turns turns;
  BenchFormat format = BenchFormat::kText;
};

struct FsckBenchOptions {
  std::vector<std::string> against;  // none: no other program
  std::vector<std::string> kernels;  // none: all
  std::string program;               // the assay to run; empty: this one
  std::optional<std::uint64_t> rounds;
  std::optional<std::uint64_t> threads;
  bool shares = true;
  BenchFormat format = BenchFormat::kText;
  std::string repository;
};

struct CompareOptions {
  std::string before;  // "-": standard input
  std::string after;
  std::optional<double> fail_above;  // percent
  double alpha = 0.05;
};

// More rounds than this are hashes, not turns: they are shared out among so many turns.
constexpr std::uint64_t kMostTurns = 100;

}  // namespace assay::tools
