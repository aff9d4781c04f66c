// zlib streams in windows: inflate and deflate of any size in constant memory.
//
// zlib is the judge of what is a good stream: git reads with zlib, so a stream that zlib refuses is
// an object that nobody can read. Where speed counts and the whole input is at hand, see
// store/codec/inflate.h. Format: RFC 1950 and RFC 1951.
//
// The checksum of what is inflated is computed by libdeflate's vector code, not by zlib, whose code
// took 8 % of the time of a check of loose objects.
//
// Both classes take ~10 KB (inflate, 40 KB once a window is needed) or ~260 KB (deflate) when made;
// `reset` makes them ready for the next stream without allocating, so keep one per thread.
// Thread safety: none. Out of memory throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "store/base/bytes.h"
#include "store/report/fault.h"

struct z_stream_s;

namespace assay {

enum class ZlibState : std::uint8_t {
  kMore,     // wants more input or more room
  kStalled,  // nothing could be done with this input and this room
  kEnd,      // the stream has ended; its checksum is right
  kError,    // inflate only: the stream is damaged, see error_text()
};

struct ZlibStep {
  std::size_t consumed = 0;  // bytes of the input
  std::size_t produced = 0;  // bytes of the output
  ZlibState state = ZlibState::kMore;
};

class ZlibInflater {
 public:
  ZlibInflater();
  ~ZlibInflater();
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;

  // Begins a new stream.
  void reset();

  // Inflates until the input is used up, the output is full or the stream ends. Output of size 0
  // is allowed: it finds out whether the stream ends here. After kEnd, unread input is what follows
  // the stream.
  ZlibStep run(ByteView input, std::span<std::uint8_t> output);

  // Whether bits that mean nothing were set in what was inflated so far: those between the head of
  // a stored block and its bytes, and between the end of the last block and the checksum. Whoever
  // deflates writes zeros there, so that file was changed though its content was not.
  bool has_stray_bits() const { return has_stray_bits_; }

  // Returns: git's words for the error, "data stream error (invalid distance code)".
  // Requires: the last step returned kError.
  std::string error_text() const;

 private:
  void note_consumed(ByteView consumed);
  void look_at_boundary(unsigned unused_bits, bool last_block);
  void look_at_block_header(ByteView rest);

  std::unique_ptr<z_stream_s> stream_;
  int status_ = 0;
  std::uint32_t adler_ = 1;       // Adler-32 of the output so far
  std::uint32_t last_input_ = 0;  // four bytes; at the end of the stream: its Adler-32
  bool wrong_adler_ = false;
  bool has_stray_bits_ = false;
  // Between two blocks: the bits of the last byte that belong to the next one.
  bool at_block_header_ = false;
  unsigned header_bits_ = 0;
  unsigned header_bit_count_ = 0;
};

// Inflates the stream at the start of `deflated`, of exactly `size` bytes, in order, in pieces that
// lie in `window` (not empty) while `take` has them.
// Returns: the bytes of `deflated` that the stream takes. Errors: kEntryUnpackable, in git's words;
// pieces may have been given before, never more than `size` bytes.
Result<std::size_t> inflate_in_pieces(ZlibInflater& inflater, ByteView deflated, std::uint64_t size,
                                      std::span<std::uint8_t> window,
                                      const std::function<void(ByteView)>& take);

class ZlibDeflater {
 public:
  // `level`: -1 (zlib's choice) or 0 to 9.
  explicit ZlibDeflater(int level);
  ~ZlibDeflater();
  ZlibDeflater(const ZlibDeflater&) = delete;
  ZlibDeflater& operator=(const ZlibDeflater&) = delete;

  void reset();

  // `last`: the input ends the stream; call again with what was not consumed until kEnd.
  ZlibStep run(ByteView input, std::span<std::uint8_t> output, bool last);

 private:
  std::unique_ptr<z_stream_s> stream_;
};

}  // namespace assay
