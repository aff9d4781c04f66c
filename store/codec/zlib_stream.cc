#include "store/codec/zlib_stream.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>

namespace assay {
namespace {

constexpr std::size_t kLargestChunk = std::numeric_limits<uInt>::max();

uInt chunk(std::size_t size) { return static_cast<uInt>(std::min(size, kLargestChunk)); }

void expect_memory(int status) {
  // Every other failure of these calls is a wrong argument, which cannot happen here.
  if (status != Z_OK) throw std::bad_alloc();
}

// Sets the windows of a stream, calls zlib and says what happened. A window is cut at 4 GiB; the
// caller comes back with the rest.
template <typename Call>
ZlibStep step(z_stream& stream, ByteView input, std::span<std::uint8_t> output, int& status,
              Call call) {
  std::uint8_t nothing = 0;  // zlib wants a valid pointer even for no room
  stream.next_in = const_cast<Bytef*>(input.empty() ? &nothing : input.data());
  stream.avail_in = chunk(input.size());
  stream.next_out = output.empty() ? &nothing : output.data();
  stream.avail_out = chunk(output.size());
  const uInt room = stream.avail_out;
  status = call(stream);
  ZlibStep result;
  result.consumed = chunk(input.size()) - stream.avail_in;
  result.produced = room - stream.avail_out;
  if (status == Z_STREAM_END) {
    result.state = ZlibState::kEnd;
  } else if (status == Z_BUF_ERROR) {
    result.state = ZlibState::kStalled;
  } else if (status != Z_OK) {
    result.state = ZlibState::kError;
  }
  return result;
}

// The kinds of errors in git's words.
std::string_view kind_of_error(int status) {
  switch (status) {
    case Z_NEED_DICT:
      return "needs dictionary";
    case Z_DATA_ERROR:
      return "data stream error";
    case Z_STREAM_ERROR:
      return "stream consistency error";
    default:
      return "unknown error";
  }
}

}  // namespace

ZlibInflater::ZlibInflater() : stream_(std::make_unique<z_stream_s>()) {
  expect_memory(inflateInit(stream_.get()));
  // zlib still takes the checksum off the input, but run() compares it.
  expect_memory(inflateValidate(stream_.get(), 0));
}

ZlibInflater::~ZlibInflater() { inflateEnd(stream_.get()); }

void ZlibInflater::reset() {
  inflateReset(stream_.get());
  adler_ = 1;
  wrong_adler_ = false;
  has_stray_bits_ = false;
  at_block_header_ = false;
}

ZlibStep ZlibInflater::run(ByteView input, std::span<std::uint8_t> output) {
  ZlibStep total;
  for (;;) {
    look_at_block_header(input);
    // zlib stops at the end of every block.
    const ZlibStep part = step(*stream_, input, output, status_,
                               [](z_stream& stream) { return inflate(&stream, Z_BLOCK); });
    if (status_ == Z_MEM_ERROR) throw std::bad_alloc();
    note_consumed(input.first(part.consumed));
    if (part.produced > 0) {  // libdeflate begins anew when it is given no bytes at all
      adler_ = ::libdeflate_adler32(adler_, output.data(), part.produced);
    }
    input = input.subspan(part.consumed);
    output = output.subspan(part.produced);
    total.consumed += part.consumed;
    total.produced += part.produced;
    total.state = part.state;
    const bool goes_on = part.state == ZlibState::kMore || part.state == ZlibState::kStalled;
    constexpr int kAtBoundary = 128;
    constexpr int kLastBlock = 64;
    if (!goes_on || (stream_->data_type & kAtBoundary) == 0) break;
    look_at_boundary(static_cast<unsigned>(stream_->data_type & 7),
                     (stream_->data_type & kLastBlock) != 0);
  }
  if (total.state == ZlibState::kStalled && total.consumed + total.produced > 0) {
    total.state = ZlibState::kMore;
  }
  if (total.state == ZlibState::kEnd && last_input_ != adler_) {
    wrong_adler_ = true;
    total.state = ZlibState::kError;
  }
  return total;
}

// `unused_bits`: so many of the last byte were not used yet, its highest.
void ZlibInflater::look_at_boundary(unsigned unused_bits, bool last_block) {
  const unsigned bits = (last_input_ & 0xff) >> (8 - unused_bits);
  if (last_block) {
    has_stray_bits_ = has_stray_bits_ || bits != 0;
    return;
  }
  at_block_header_ = true;
  header_bits_ = bits;
  header_bit_count_ = unused_bits;
}

// A header is one bit "last" and two bits of type; behind that of a stored block (type 0) the rest
// of the byte means nothing.
void ZlibInflater::look_at_block_header(ByteView rest) {
  constexpr unsigned kHeaderBits = 3;
  if (!at_block_header_) return;
  if (header_bit_count_ < kHeaderBits) {
    if (rest.empty()) return;  // it comes with the next piece
    header_bits_ |= static_cast<unsigned>(rest[0]) << header_bit_count_;
  }
  at_block_header_ = false;
  const bool stored = (header_bits_ >> 1 & 3) == 0;
  if (stored && header_bits_ >> kHeaderBits != 0) has_stray_bits_ = true;
}

void ZlibInflater::note_consumed(ByteView consumed) {
  for (const std::uint8_t byte : consumed.last(std::min<std::size_t>(consumed.size(), 4))) {
    last_input_ = (last_input_ << 8) | byte;
  }
}

std::string ZlibInflater::error_text() const {
  if (wrong_adler_) return "data stream error (incorrect data check)";
  std::string text(kind_of_error(status_));
  text += " (";
  text += stream_->msg != nullptr ? stream_->msg : "no message";
  text += ")";
  return text;
}

Result<std::size_t> inflate_in_pieces(ZlibInflater& inflater, ByteView deflated, std::uint64_t size,
                                      std::span<std::uint8_t> window,
                                      const std::function<void(ByteView)>& take) {
  const auto bad = [](std::string what) {
    return fault(MessageId::kEntryUnpackable, "inflate: " + what);
  };
  inflater.reset();
  ByteView input = deflated;
  for (;;) {
    // With nothing left to come, one byte of room tells a stream that ends from one that goes on.
    const std::uint64_t room = std::clamp<std::uint64_t>(size, 1, window.size());
    const ZlibStep step = inflater.run(input, window.first(static_cast<std::size_t>(room)));
    input = input.subspan(step.consumed);
    if (step.produced > size) return bad("stream is longer than declared");
    size -= step.produced;
    if (step.produced > 0) take(window.first(step.produced));
    if (step.state == ZlibState::kEnd) break;
    if (step.state == ZlibState::kError) return bad(inflater.error_text());
    if (step.consumed == 0 && step.produced == 0) return bad("stream ends too early");
  }
  if (size > 0) return bad("stream is shorter than declared");
  return deflated.size() - input.size();
}

ZlibDeflater::ZlibDeflater(int level) : stream_(std::make_unique<z_stream_s>()) {
  expect_memory(deflateInit(stream_.get(), level));
}

ZlibDeflater::~ZlibDeflater() { deflateEnd(stream_.get()); }

void ZlibDeflater::reset() { deflateReset(stream_.get()); }

ZlibStep ZlibDeflater::run(ByteView input, std::span<std::uint8_t> output, bool last) {
  // Only what is really the last piece may be announced as such.
  const bool ends = last && input.size() <= kLargestChunk;
  int status = Z_OK;
  return step(*stream_, input, output, status,
              [ends](z_stream& stream) { return deflate(&stream, ends ? Z_FINISH : Z_NO_FLUSH); });
}

}  // namespace assay
