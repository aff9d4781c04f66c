// The cache of trees and the resolved conflicts of an index file, as they are by themselves.
#include "store/index/cache_tree.h"
#include "store/index/resolve_undo.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(index_extensions) {
  const auto tree = parse_cache_tree(input, HashKind::kSha1);
  if (tree) {
    for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
      FUZZ_EXPECT(i == 0 || tree->nodes[i].parent < i);
    }
  }
  (void)parse_resolve_undo(input, HashKind::kSha1);
}
