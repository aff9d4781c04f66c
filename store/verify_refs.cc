#include "store/verify_refs.h"

#include <algorithm>

#include "store/fsck/check_ref_format.h"
#include "store/fsck/configured_policy.h"

namespace assay {

Result<std::vector<Finding>> verify_refs(os::System& system, const VerifyRefsOptions& options) {
  const auto repository = Repository::open(system, options.repository);
  if (!repository) return tl::unexpected<Fault>(repository.error());
  Policy policy;
  if (options.strict) policy.set_strict(true);
  if (auto configured = configure_policy(*repository, policy); !configured) {
    return tl::unexpected<Fault>(std::move(configured.error()));
  }
  FindingList list;
  check_ref_format(*repository, policy, list, options.note);
  std::vector<Finding> findings = std::move(list.findings());
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.order < b.order; });
  std::erase_if(findings,
                [](const Finding& finding) { return finding.severity == Severity::kIgnore; });
  return findings;
}

}  // namespace assay
