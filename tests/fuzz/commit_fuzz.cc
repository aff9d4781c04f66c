// Commits: the parser that git's own readers have, and the rules. Both see the same bytes.
#include "store/fsck/rules/object_rules.h"
#include "store/object/commit.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(commit) {
  const ObjectId self = ObjectId::null(HashKind::kSha1);
  const auto parsed = parse_commit(input, self);
  if (parsed) FUZZ_EXPECT(parsed->parents.size() <= input.size() / 48);
  const Policy policy;
  FindingList findings;
  RuleReporter reporter(policy, findings);
  SpecialBlobs special;
  reporter.begin(ObjectType::kCommit, self);
  check_object_rules(ObjectType::kCommit, input, HashKind::kSha1, reporter, special);
  for (const Finding& finding : findings.findings()) {
    FUZZ_EXPECT(message(finding.id).since == Since::kGit);
  }
}
