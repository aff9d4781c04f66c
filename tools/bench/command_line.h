// The command line of `assay bench`.
//
// Its interface is our own, so CLI11 reads it (docs/adr/0007); commands that must behave as git's
// or coreutils' do have their own parsers.
#pragma once

#include <optional>

#include "tools/bench/bench_options.h"
#include "tools/common/command.h"

namespace assay::tools {

struct BenchCommandLine {
  enum class Benchmark { kNone, kSha1, kRc4, kFsck, kCompare };
  Benchmark benchmark = Benchmark::kNone;
  bool list = false;
  bool self_test = false;
  Sha1BenchOptions sha1;
  Rc4BenchOptions rc4;
  FsckBenchOptions fsck;
  CompareOptions compare;
};

// Returns: the exit status when the program ends here (--help, wrong use), everything having been
// said; otherwise nothing, and `parsed` holds what was asked for.
std::optional<int> parse_bench_command_line(Context& context, Arguments arguments,
                                            BenchCommandLine& parsed);

}  // namespace assay::tools
