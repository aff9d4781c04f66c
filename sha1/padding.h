#ifndef ASSAY_SHA1_PADDING_H_
#define ASSAY_SHA1_PADDING_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sha1/kernel.h"

/// The end of a message (FIPS 180-4, section 5.1.1), and words to and from bytes. For use inside
/// sha1/ only.
namespace assay::sha1 {

inline std::uint32_t load_be32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
         static_cast<std::uint32_t>(p[2]) << 8 | static_cast<std::uint32_t>(p[3]);
}

inline void store_be32(std::uint8_t* p, std::uint32_t value) {
  p[0] = static_cast<std::uint8_t>(value >> 24);
  p[1] = static_cast<std::uint8_t>(value >> 16);
  p[2] = static_cast<std::uint8_t>(value >> 8);
  p[3] = static_cast<std::uint8_t>(value);
}

/// The bytes behind the end of a message that `write_padding_between` touches: as many as the
/// longest padding has.
inline constexpr std::size_t kPaddingReach = 72;

/// Fills the bytes from the end of a message of `length` bytes to the end of its last block, 9 to
/// 72 bytes, with the padding: a 1 bit, zeros, and the length in bits as 64 bits. Exact for every
/// length below 2^61 bytes. Writes kPaddingReach bytes from `message_end` on, so that the number of
/// zeros need not be looked at; what lies behind `blocks_end` is spoilt.
inline void write_padding_between(std::uint8_t* message_end, std::uint8_t* blocks_end,
                                  std::uint64_t length) {
  std::memset(message_end, 0, kPaddingReach);
  *message_end = 0x80;
  const std::uint64_t bits = length << 3;
  store_be32(blocks_end - 8, static_cast<std::uint32_t>(bits >> 32));
  store_be32(blocks_end - 4, static_cast<std::uint32_t>(bits));
}

/// Room that the tail of a message needs.
inline constexpr std::size_t kTailRoom = kBlockSize + kPaddingReach;

/// Completes the last blocks of a message of `length` bytes. `tail` holds the length % 64 bytes of
/// the unfinished block and has room for kTailRoom bytes.
///
/// Returns: the number of blocks at `tail`, 1 or 2.
inline std::size_t write_padding(std::uint8_t* tail, std::uint64_t length) {
  const std::size_t filled = static_cast<std::size_t>(length % kBlockSize);
  const std::size_t blocks = filled < kBlockSize - 8 ? 1 : 2;
  write_padding_between(tail + filled, tail + blocks * kBlockSize, length);
  return blocks;
}

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_PADDING_H_
