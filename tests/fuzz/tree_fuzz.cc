// The rules for trees, with SHA-1 and SHA-256 ids (the first byte chooses), strict and not.
#include "store/fsck/rules/object_rules.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(tree) {
  if (input.empty()) return;
  const HashKind kind = (input[0] & 1) != 0 ? HashKind::kSha256 : HashKind::kSha1;
  Policy policy;
  policy.set_strict((input[0] & 2) != 0);
  FindingList findings;
  RuleReporter reporter(policy, findings);
  SpecialBlobs special;
  const ByteView body = input.subspan(1);
  reporter.begin(ObjectType::kTree, ObjectId::null(kind));
  check_object_rules(ObjectType::kTree, body, kind, reporter, special);
  // A name like "~1" can stand for either file on NTFS, so an entry can be counted twice.
  const std::size_t named = special.gitmodules().size() + special.gitattributes().size();
  FUZZ_EXPECT(named <= 2 * (body.size() / (id_size(kind) + 3)));
}
