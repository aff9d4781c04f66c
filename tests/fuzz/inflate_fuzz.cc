// Zlib streams: what is accepted is what zlib makes of them, byte for byte. (The other way round
// is not asked: see docs/differences-from-git.md.)
#include <zlib.h>

#include "store/codec/inflate.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(inflate) {
  if (input.size() < 2) return;
  const std::size_t size = (std::size_t{input[0]} << 8 | input[1]);
  const ByteView deflated = input.subspan(2);
  Bytes ours(size);
  static Inflater inflater;
  const auto consumed = inflater.inflate(deflated, ours);

  Bytes theirs(size + 1);
  z_stream stream{};
  FUZZ_EXPECT(::inflateInit(&stream) == Z_OK);
  stream.next_in = const_cast<Bytef*>(deflated.data());
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = theirs.data();
  stream.avail_out = static_cast<uInt>(theirs.size());
  const int end = ::inflate(&stream, Z_FINISH);
  const std::size_t made = theirs.size() - stream.avail_out;
  const std::size_t used = deflated.size() - stream.avail_in;
  (void)::inflateEnd(&stream);
  if (end == Z_STREAM_END && made == size) {
    FUZZ_EXPECT(consumed.has_value());
    FUZZ_EXPECT(*consumed == used);
  }
  if (consumed && made == size) {
    theirs.resize(size);
    FUZZ_EXPECT(ours == theirs);
  }
}
