// A pack under an index that is made here from what looks like entries in it: headers, the delta
// forest, every object read by itself.

#include "store/pack/delta_forest.h"
#include "store/pack/pack_reader.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

namespace {

void append_be32(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

// A version 2 index over `offsets`; the ids count upwards from 00..00.
Bytes index_of(const std::vector<std::uint32_t>& offsets) {
  Bytes bytes = {0xff, 't', 'O', 'c', 0, 0, 0, 2};
  const auto count = static_cast<std::uint32_t>(offsets.size());
  for (int i = 0; i < 256; ++i) append_be32(bytes, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    bytes.insert(bytes.end(), 16, 0);
    append_be32(bytes, i);
  }
  for (std::uint32_t i = 0; i < count; ++i) append_be32(bytes, 0);
  for (const std::uint32_t offset : offsets) append_be32(bytes, offset);
  bytes.insert(bytes.end(), 40, 0);
  return bytes;
}

}  // namespace

// The first byte says how many entries the index has, the next ones where they are, then comes the
// pack.
ASSAY_FUZZ_TARGET(pack) {
  if (input.empty()) return;
  const std::size_t count = input[0] % 16;
  if (input.size() < 1 + count + 32) return;
  std::vector<std::uint32_t> offsets;
  std::uint32_t offset = 12;
  for (std::size_t i = 0; i < count; ++i) {
    offsets.push_back(offset);
    offset += input[1 + i];
  }
  Bytes pack_bytes(input.begin() + 1 + static_cast<long>(count), input.end());
  const std::uint8_t header[] = {'P', 'A', 'C', 'K', 0, 0,
                                 0,   2,   0,   0,   0, static_cast<std::uint8_t>(count)};
  std::copy(std::begin(header), std::end(header), pack_bytes.begin());

  const Bytes index_bytes = index_of(offsets);
  const auto index = PackIndex::parse(index_bytes, HashKind::kSha1, "fuzz.idx");
  FUZZ_EXPECT(index.has_value());
  static fuzz::ScratchFile file("fuzz.pack");
  const auto pack =
      PackFile::open(os::System::real(), file.put(pack_bytes), HashKind::kSha1, "fuzz.pack");
  if (!pack) return;
  const DeltaForest forest = DeltaForest::build(*pack, *index, 1);
  FUZZ_EXPECT(forest.size() <= count);
  PackReader reader;
  for (const std::uint32_t at : offsets) {
    const auto info = reader.info(*pack, *index, {at});
    const auto object = reader.read(*pack, *index, {at}, 1 << 20);
    if (info && object) FUZZ_EXPECT(info->size == object->content.size());
  }
}
