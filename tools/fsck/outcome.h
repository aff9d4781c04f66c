// Outcome: what a run of fsck on one repository says at its end, and with which status.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "store/fsck.h"
#include "store/repository.h"
#include "tools/common/command.h"
#include "tools/common/options.h"
#include "tools/fsck/baseline.h"
#include "tools/fsck/exit_code.h"

namespace assay::tools {

struct OutcomeSettings {
  enum class Format : std::uint8_t { kText, kJsonLines };
  Format format = Format::kText;
  ExitCodes exit_codes = ExitCodes::kGit;
  bool strict_exit = false;  // only with kSimple
  // --baseline; without it the configuration decides, the empty name means none.
  std::optional<std::string> baseline;
  std::optional<std::string> write_baseline;
  // --explain: what lost objects were; unset: with JSON lines only.
  std::optional<bool> explain;
  bool advice = ::isatty(STDERR_FILENO) != 0;
};

// Adds --format, --exit-code, --strict-exit, --baseline, --write-baseline, --advice, --explain. The
// settings must outlive the parser.
void declare_outcome_options(OptionParser& parser, OutcomeSettings& settings);

// Returns: the exit status of a run on two repositories. `status`: of those before.
int joined_status(const OutcomeSettings& settings, int status, int result);

// Runs the command. With --exit-code=simple, wrong use, lost output and exceptions have their
// statuses too.
int with_exit_codes(Context& context, Arguments arguments, int (*run)(Context&, Arguments));

class Outcome {
 public:
  // All must outlive the outcome. `open`: the repository.
  Outcome(Context& context, const OutcomeSettings& settings, const OpenOptions& open)
      : context_(context), settings_(settings), open_(open) {}

  // To be called before the run. Returns: the exit status when it must not begin, everything having
  // been said.
  std::optional<int> begin();
  // Prints what was found. Returns: the exit status.
  int finish(const FsckReport& report);
  // In place of finish() when nothing could be checked: prints why. Returns: the exit status.
  int fail(const Fault& fault);

 private:
  int fail(const Fault& fault, int simple_status);
  Result<void> read_baseline(const GitConfig& config);
  void report_baseline(std::size_t known, std::size_t fresh, const std::vector<std::string>& gone);
  bool simple() const { return settings_.exit_codes == ExitCodes::kSimple; }
  bool json() const { return settings_.format == OutcomeSettings::Format::kJsonLines; }

  Context& context_;
  const OutcomeSettings& settings_;
  const OpenOptions& open_;
  std::string repository_;
  std::string baseline_file_;  // empty: none
  Baseline baseline_;
};

}  // namespace assay::tools
