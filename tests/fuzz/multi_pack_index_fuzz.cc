// Multi-pack-indexes, versions 1 and 2: whatever is believed of a file can be asked for.
#include "store/graph/multi_pack_index.h"

#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(multi_pack_index) {
  if (input.empty()) return;
  const HashKind kind = (input[0] & 1) != 0 ? HashKind::kSha256 : HashKind::kSha1;
  const ByteView file = input.subspan(1);
  const auto index = MultiPackIndex::parse(file, kind, "multi-pack-index");
  if (!index) return;
  FUZZ_EXPECT(std::uint64_t{index->count()} * 28 <= file.size());
  FUZZ_EXPECT(index->pack_names().size() <= file.size());
  for (std::uint32_t row = 0; row < index->count(); ++row) {
    (void)index->id(row);
    (void)index->pack(row);
    (void)index->offset(row);
  }
  for (const std::string_view name : index->pack_names()) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(name.data());
    FUZZ_EXPECT(begin >= file.data() && begin + name.size() <= file.data() + file.size());
  }
  (void)index->checksum();
  (void)index->reverse_index();
  (void)index->bitmapped_packs();
}
