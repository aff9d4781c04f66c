// Index files with their extensions. The checksum is not the parser's business here: a fuzzer
// cannot make one, so the last 20 bytes are zeros, which git takes for "no checksum".
#include "store/index/index_file.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(index_file) {
  Bytes bytes(input.begin(), input.end());
  bytes.insert(bytes.end(), 20, 0);
  auto index = parse_index_file(bytes, HashKind::kSha1);
  if (!index) return;
  (void)check_index_order(index->entries);
  if (index->cache_tree) {
    for (std::size_t i = 0; i < index->cache_tree->nodes.size(); ++i) {
      if (i < 1000) (void)index->cache_tree->path_of(i);
    }
  }
  if (index->link) {
    IndexFile shared;
    shared.entries.resize(40);
    (void)merge_split_index(std::move(*index), shared);
  }
}
