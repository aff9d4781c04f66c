// The content of .gitmodules and .gitattributes.
#include "store/fsck/rules/gitattributes_rules.h"
#include "store/fsck/rules/gitmodules_rules.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(gitmodules) {
  const Policy policy;
  FindingList findings;
  RuleReporter reporter(policy, findings);
  reporter.begin(ObjectType::kBlob, ObjectId::null(HashKind::kSha1));
  check_gitmodules_blob(input, reporter);
  reporter.begin(ObjectType::kBlob, ObjectId::null(HashKind::kSha1));
  check_gitattributes_blob(input, reporter);
}
