#include "store/fsck/rules/object_rules.h"

#include "store/fsck/rules/commit_rules.h"
#include "store/fsck/rules/tag_rules.h"
#include "store/fsck/rules/tree_rules.h"

namespace assay {

void check_object_rules(ObjectType type, ByteView body, HashKind kind, RuleReporter& reporter,
                        SpecialBlobs& special) {
  switch (type) {
    case ObjectType::kCommit:
      check_commit_rules(body, kind, reporter);
      break;
    case ObjectType::kTag:
      check_tag_rules(body, kind, reporter);
      break;
    case ObjectType::kTree:
      check_tree_rules(body, kind, reporter, special);
      break;
    case ObjectType::kBlob:
      break;
    case ObjectType::kUnknown:
      reporter.report(MessageId::kUnknownType, "unknown type '0' (internal fsck error)");
      break;
  }
}

}  // namespace assay
