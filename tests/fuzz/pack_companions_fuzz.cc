// What lies beside a pack: reachability bitmaps, reverse indexes, the times of cruft packs. The
// first two bytes say of how many objects the pack is.
#include "store/pack/bitmap.h"
#include "store/pack/mtimes.h"
#include "store/pack/reverse_index.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(pack_companions) {
  if (input.size() < 3) return;
  const HashKind kind = (input[0] & 1) != 0 ? HashKind::kSha256 : HashKind::kSha1;
  const std::uint32_t count = std::uint32_t{input[1]} << 8 | input[2];
  const ByteView file = input.subspan(3);

  const auto visit = [&](const BitmapFile::Entry& entry, const EwahBitmap& bits) {
    FUZZ_EXPECT(entry.commit.value < count && entry.offset < file.size());
    FUZZ_EXPECT(bits.end() <= count);
    std::uint64_t last = 0;
    bits.for_each([&](std::uint64_t bit) {
      FUZZ_EXPECT(bit >= last && bit < count);
      last = bit;
      return true;
    });
  };
  if (const auto bitmap = BitmapFile::parse(file, kind, {count, count}, visit)) {
    for (const ObjectType type :
         {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
      FUZZ_EXPECT(bitmap->of_type(type).end() <= count);
    }
    (void)bitmap->pack_checksum();
  }
  if (const auto reverse = ReverseIndex::parse(file, kind, count, "pack.rev")) {
    FUZZ_EXPECT(reverse->count() == count);
    for (std::uint32_t i = 0; i < count; ++i) (void)reverse->at({i});
    (void)reverse->pack_checksum();
  }
  if (const auto times = MtimesFile::parse(file, kind, count, "pack.mtimes")) {
    for (std::uint32_t i = 0; i < count; ++i) (void)times->at({i});
    (void)times->pack_checksum();
  }
}
