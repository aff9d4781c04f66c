#include "store/pack/spilled_entry.h"

#include <algorithm>

#include "store/codec/delta.h"
#include "store/codec/zlib_stream.h"

namespace assay {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

tl::unexpected<Fault> unpackable(std::string text) {
  return fault(MessageId::kEntryUnpackable, std::move(text));
}

// Returns: true when every instruction is in range and all together give the size declared.
bool is_sound(const Delta& delta, std::uint64_t base_size) {
  if (delta.base_size != base_size) return false;
  std::uint64_t total = 0;
  DeltaCursor cursor(delta.program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    if (operation.copy &&
        (operation.offset > base_size || operation.size > base_size - operation.offset)) {
      return false;
    }
    total += operation.size;
  }
  return !cursor.bad() && total == delta.result_size;
}

}  // namespace

Result<BufferRef> inflate_spilled(ByteView deflated, std::uint64_t size, SpillSpace& space,
                                  BufferPool& pool, std::size_t& used) {
  auto buffer = space.make(size);
  if (!buffer) return buffer;
  std::string reason;
  {
    PageDropper dropper({&**buffer});
    ZlibInflater inflater;
    ByteView input = deflated;
    std::size_t filled = 0;
    for (bool ended = false; !ended && reason.empty();) {
      const std::size_t room = std::min<std::size_t>(kPiece, (*buffer)->size() - filled);
      const ZlibStep step = inflater.run(input, {(*buffer)->data() + filled, room});
      input = input.subspan(step.consumed);
      filled += step.produced;
      dropper.touched(step.produced);
      ended = step.state == ZlibState::kEnd;
      if (step.state == ZlibState::kError) reason = "inflate: " + inflater.error_text();
      if (step.state == ZlibState::kStalled) {
        reason = room == 0 ? "inflate: stream is longer than declared"
                           : "inflate: stream ends too early";
      }
      if (ended && filled < (*buffer)->size()) reason = "inflate: stream is shorter than declared";
    }
    used = deflated.size() - input.size();
  }
  if (reason.empty()) return buffer;
  pool.release(std::move(*buffer));
  return unpackable(std::move(reason));
}

Result<BufferRef> patch_spilled(Buffer& delta, Buffer& base, SpillSpace& space) {
  const auto parsed = parse_delta(delta.bytes());
  if (!parsed || !is_sound(*parsed, base.size())) return unpackable("failed to apply delta");
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
