// Loose object files of any content.
#include "store/loose/loose_object.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(loose_object) {
  static fuzz::ScratchFile file("loose_object");
  static LooseReader reader(os::System::real());
  LoosePlace place;
  place.name = place.path = file.put(input);
  place.id = ObjectId::null(HashKind::kSha1);
  constexpr std::uint64_t kLimit = 1 << 20;
  const auto object = read_loose_object(reader, place, kLimit);
  if (object && object->content) {
    FUZZ_EXPECT(object->content->size() == object->size);
    FUZZ_EXPECT(object->size <= kLimit);
  }
  if (reader.open(place)) {
    std::uint64_t seen = 0;
    (void)reader.stream([&](ByteView piece) { seen += piece.size(); });
    if (object && object->content) FUZZ_EXPECT(seen == object->size);
  }
  reader.close();
}
