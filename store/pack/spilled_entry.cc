#include "store/pack/spilled_entry.h"

#include <algorithm>

#include "store/codec/delta.h"
#include "store/codec/zlib_stream.h"

namespace assay {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// Returns: the length of the stream, which gives exactly the bytes of the buffer.
Result<std::size_t> inflate_into(Buffer& buffer, ByteView deflated) {
  PageDropper dropper({&buffer});
  ZlibInflater inflater;
  Bytes window(kPiece);
  std::uint8_t* to = buffer.data();
  return inflate_in_pieces(inflater, deflated, buffer.size(), window, [&](ByteView piece) {
    to = std::copy(piece.begin(), piece.end(), to);
    dropper.touched(piece.size());
  });
}

}  // namespace

Result<BufferRef> inflate_spilled(ByteView deflated, std::uint64_t size, SpillSpace& space,
                                  BufferPool& pool, std::size_t& used) {
  auto buffer = space.make(size);
  if (!buffer) return buffer;
  const auto length = inflate_into(**buffer, deflated);
  if (!length) {
    pool.release(std::move(*buffer));
    return tl::unexpected<Fault>(length.error());
  }
  used = *length;
  return buffer;
}

Result<BufferRef> patch_spilled(Buffer& delta, Buffer& base, SpillSpace& space) {
  const auto parsed = parse_delta(delta.bytes());
  if (!parsed || !is_sound(*parsed, base.size())) {
    return fault(MessageId::kEntryUnpackable, "failed to apply delta");
  }
  auto result = space.make(parsed->result_size);
  if (!result) return result;
  PageDropper dropper({&delta, &base, &**result});
  std::uint8_t* to = (*result)->data();
  DeltaCursor cursor(parsed->program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    ByteView from = operation.copy ? base.bytes() : parsed->program;
    from = from.subspan(operation.offset, operation.size);
    to = std::copy(from.begin(), from.end(), to);
    dropper.touched(2 * from.size());
  }
  return result;
}

void read_in_pieces(Buffer& buffer, const std::function<void(ByteView)>& take) {
  PageDropper dropper({&buffer});
  for (std::size_t at = 0; at < buffer.size(); at += kPiece) {
    const ByteView piece = buffer.bytes().subspan(at, std::min(kPiece, buffer.size() - at));
    take(piece);
    dropper.touched(piece.size());
  }
}

}  // namespace assay
