// Tags: the parser and the rules.
#include "store/fsck/rules/object_rules.h"
#include "store/object/tag.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(tag) {
  const ObjectId self = ObjectId::null(HashKind::kSha1);
  const auto parsed = parse_tag(input, self);
  if (parsed) FUZZ_EXPECT(parsed->name.size() < input.size());
  const Policy policy;
  FindingList findings;
  RuleReporter reporter(policy, findings);
  SpecialBlobs special;
  reporter.begin(ObjectType::kTag, self);
  check_object_rules(ObjectType::kTag, input, HashKind::kSha1, reporter, special);
}
