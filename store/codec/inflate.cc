#include "store/codec/inflate.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <new>

namespace assay {
namespace {

// Returns: what git says of a zlib status (git-zlib.c words).
std::string zlib_reason(int status, const char* message) {
  const char* kind = status == Z_MEM_ERROR    ? "out of memory"
                     : status == Z_NEED_DICT  ? "needs dictionary"
                     : status == Z_DATA_ERROR ? "data stream error"
                     : status == Z_BUF_ERROR  ? "stream ends too early"
                                              : "stream consistency error";
  return std::string("inflate: ") + kind + " (" + (message != nullptr ? message : "no message") +
         ")";
}

Result<std::size_t> inflate_with_zlib(ByteView deflated, std::span<std::uint8_t> out) {
  z_stream stream = {};
  if (::inflateInit(&stream) != Z_OK) return fault(MessageId::kIoError, "inflate: out of memory");
  // One byte more than declared, so that a longer stream is seen as such.
  std::uint8_t surplus = 0;
  std::size_t in = 0;
  std::size_t written = 0;
  int status = Z_OK;
  constexpr std::size_t kChunk = std::size_t{1} << 30;  // zlib counts in 32 bits
  while (status == Z_OK) {
    const std::size_t in_size = std::min(kChunk, deflated.size() - in);
    const bool full = written == out.size();
    const std::size_t out_size = full ? 1 : std::min(kChunk, out.size() - written);
    stream.next_in = const_cast<Bytef*>(deflated.data() + in);
    stream.avail_in = static_cast<uInt>(in_size);
    stream.next_out = full ? &surplus : out.data() + written;
    stream.avail_out = static_cast<uInt>(out_size);
    status = ::inflate(&stream, Z_NO_FLUSH);
    in += in_size - stream.avail_in;
    const std::size_t produced = out_size - stream.avail_out;
    if (full && produced != 0) {
      ::inflateEnd(&stream);
      return fault(MessageId::kEntryUnpackable, "inflate: stream is longer than declared");
    }
    written += produced;
    if (status == Z_OK && produced == 0 && in_size == stream.avail_in) status = Z_BUF_ERROR;
  }
  Fault reason(MessageId::kEntryUnpackable, "");
  if (status != Z_STREAM_END) {
    reason.text = zlib_reason(status, stream.msg);
  } else if (written != out.size()) {
    reason.text = "inflate: stream is shorter than declared";
  }
  ::inflateEnd(&stream);
  if (!reason.text.empty()) return tl::unexpected<Fault>(std::move(reason));
  return in;
}

}  // namespace

struct Inflater::State {
  libdeflate_decompressor* decompressor;
};

Inflater::Inflater() : state_(new State{::libdeflate_alloc_decompressor()}) {
  if (state_->decompressor == nullptr) throw std::bad_alloc();
}

Inflater::~Inflater() {
  if (state_ != nullptr) ::libdeflate_free_decompressor(state_->decompressor);
}

Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

Result<std::size_t> Inflater::inflate(ByteView deflated, std::span<std::uint8_t> out) {
  // libdeflate wants a pointer even for no bytes.
  std::uint8_t nothing = 0;
  std::size_t used = 0;
  std::size_t produced = 0;
  const libdeflate_result result = ::libdeflate_zlib_decompress_ex(
      state_->decompressor, deflated.data(), deflated.size(), out.empty() ? &nothing : out.data(),
      out.size(), &used, &produced);
  if (result == LIBDEFLATE_SUCCESS && produced == out.size()) return used;
  return inflate_with_zlib(deflated, out);
}

}  // namespace assay
