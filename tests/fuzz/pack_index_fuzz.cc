// Pack indexes, versions 1 and 2: every id that is listed can be asked for.
#include "store/pack/pack_index.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(pack_index) {
  const auto index = PackIndex::parse(input, HashKind::kSha1, "pack.idx");
  if (!index) return;
  FUZZ_EXPECT(std::uint64_t{index->count()} * 24 <= input.size());
  const bool ordered = !index->first_out_of_order();
  for (std::uint32_t i = 0; i < index->count(); ++i) {
    (void)index->offset({i});
    if (index->has_crc()) (void)index->crc({i});
    const auto found = index->find(index->raw_id({i}));
    if (ordered) FUZZ_EXPECT(found && index->id(*found) == index->id({i}));
    (void)index->find_prefix(index->id({i}).hex().substr(0, 7));
  }
  (void)index->pack_checksum();
}
