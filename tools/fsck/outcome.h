// Outcome: what a run of fsck on one repository says at its end, and with which status.
#pragma once

#include <cstdint>

#include "store/fsck.h"
#include "store/repository.h"
#include "tools/common/command.h"
#include "tools/common/options.h"

namespace assay::tools {

struct OutcomeSettings {
  enum class Format : std::uint8_t { kText, kJsonLines };
  Format format = Format::kText;
};

// Adds --format. The settings must outlive the parser.
void declare_outcome_options(OptionParser& parser, OutcomeSettings& settings);

class Outcome {
 public:
  // Both must outlive the outcome.
  Outcome(Context& context, const OutcomeSettings& settings)
      : context_(context), settings_(settings) {}

  // To be called before the run.
  void begin(const Repository& repository);
  // Prints what was found. Returns: the exit status.
  int finish(const FsckReport& report);
  // In place of finish() when nothing could be checked: prints why. Returns: the exit status.
  int fail(const Fault& fault);

 private:
  bool json() const { return settings_.format == OutcomeSettings::Format::kJsonLines; }

  Context& context_;
  const OutcomeSettings& settings_;
};

}  // namespace assay::tools
