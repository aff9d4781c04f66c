// The door to refs verify: the files that hold refs, without asking whether objects exist.
#pragma once

#include <vector>

#include "store/os/system.h"
#include "store/report/finding.h"
#include "store/report/note.h"
#include "store/repository/layout.h"

namespace assay {

struct VerifyRefsOptions {
  OpenOptions repository;
  bool strict = false;
  // Receives the lines of --verbose, in the order of work.
  Note note;
};

// Returns: what was found, in canonical order, without what the policy ignores.
// Errors: the repository cannot be opened or configured; git dies there.
Result<std::vector<Finding>> verify_refs(os::System& system, const VerifyRefsOptions& options);

}  // namespace assay
