// configure_policy: what the section fsck of a configuration says about severities.
#pragma once

#include "store/report/policy.h"
#include "store/repository/repository.h"

namespace assay {

// Applies fsck.<id> and fsck.skipList. Errors: git dies of them; the policy is then half made.
Result<void> configure_policy(const Repository& repository, Policy& policy);

}  // namespace assay
