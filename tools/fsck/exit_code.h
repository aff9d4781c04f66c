// The exit statuses of `assay fsck --exit-code=simple`: one meaning each, for schedulers and
// monitors. docs/exit-status.md is their manual. (git's bits are store/report/exit_status.h.)
#pragma once

#include <cstdint>
#include <span>

#include "store/report/finding.h"

namespace assay::tools {

enum class ExitCodes : std::uint8_t { kGit, kSimple };

enum SimpleStatus : int {
  kSimpleSound = 0,
  kSimpleFinding = 1,       // data is lost or wrong, or an attack
  kSimpleUsage = 2,         // wrong use of the command line
  kSimpleIncomplete = 3,    // ended before the end; nothing found so far
  kSimpleInconclusive = 4,  // the repository kept changing
  kSimpleHarmless = 5,      // with --strict-exit: only cosmetic errors and warnings
  kSimpleUnusable = 10,     // no repository, or none that assay knows
  kSimplePermission = 11,
  kSimpleInternal = 70,   // a bug of assay
  kSimpleTransient = 75,  // the machine refused something for now: memory, descriptors, the disk
};

// Returns: the status of a run that found these. What only follows from something that could not
// be read (a missing object in an unreadable directory) proves nothing and does not count as found.
int simple_status(std::span<const Finding> findings, bool strict_exit);

// Returns: the status of a run that could not begin.
int simple_status(const Fault& fault);

// Returns: the status of two runs together: the one that a person should see first.
int joined_simple_status(int one, int other);

}  // namespace assay::tools
