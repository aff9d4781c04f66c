// The doors to commit-graph verify and multi-pack-index verify: the derived files of one object
// directory, checked without verifying all objects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/os/system.h"
#include "store/report/finding.h"
#include "store/repository/layout.h"

namespace assay {

struct VerifyDerivedOptions {
  OpenOptions repository;
  std::optional<std::string> object_directory;  // unset: that of the repository
  bool only_uppermost = false;                  // of a chain of commit-graphs
  std::uint64_t memory = std::uint64_t{256} << 20;
};

struct VerifyDerivedReport {
  std::vector<Finding> findings;  // in canonical order
  std::uint64_t checked = 0;      // commits or objects in the files
};

// Errors: the repository cannot be opened, or there is no such object directory; git dies there.
Result<VerifyDerivedReport> verify_commit_graph(os::System& system,
                                                const VerifyDerivedOptions& options);
Result<VerifyDerivedReport> verify_multi_pack_index(os::System& system,
                                                    const VerifyDerivedOptions& options);

}  // namespace assay
