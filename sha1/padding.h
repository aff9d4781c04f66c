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

/// Writes the length of a message of `length` bytes, in bits, as the last 8 bytes before `end`.
/// Exact for every length below 2^61 bytes.
inline void write_length(std::uint8_t* end, std::uint64_t length) {
  const std::uint64_t bits = length << 3;
  store_be32(end - 8, static_cast<std::uint32_t>(bits >> 32));
  store_be32(end - 4, static_cast<std::uint32_t>(bits));
}

/// Bytes of the longest padding: a 1 bit, zeros, and 64 bits of length.
inline constexpr std::size_t kLongestPadding = 72;

/// Room that the tail of a message needs.
inline constexpr std::size_t kTailRoom = kBlockSize + kLongestPadding;

/// Completes the last blocks of a message of `length` bytes. `tail` holds the length % 64 bytes of
/// the unfinished block and has room for kTailRoom bytes; all of kLongestPadding are written, so
/// that the number of zeros need not be looked at.
///
/// Returns: the number of blocks at `tail`, 1 or 2.
inline std::size_t write_padding(std::uint8_t* tail, std::uint64_t length) {
  const std::size_t filled = static_cast<std::size_t>(length % kBlockSize);
  const std::size_t blocks = filled < kBlockSize - 8 ? 1 : 2;
  std::memset(tail + filled, 0, kLongestPadding);
  tail[filled] = 0x80;
  write_length(tail + blocks * kBlockSize, length);
  return blocks;
}

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_PADDING_H_
