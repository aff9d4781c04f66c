#ifndef ASSAY_SHA1_PADDING_H_
#define ASSAY_SHA1_PADDING_H_

#include <bit>
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

/// Room that the tail of a message needs.
inline constexpr std::size_t kTailRoom = 2 * kBlockSize;

namespace internal {

template <typename T>
inline std::uint64_t load_as(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Two numbers that lie in memory one after the other.
struct Pair {
  std::uint64_t low;
  std::uint64_t high;
};

/// By one store where the processor has vectors. A vector as argument would depend on the ABI.
inline void store_pair(std::uint8_t* to, Pair pair) {
  using Vector [[gnu::vector_size(16)]] = std::uint64_t;
  const Vector vector = {pair.low, pair.high};
  std::memcpy(to, &vector, sizeof vector);
}

/// `size` bytes, fewer than 16, then the 1 bit and zeros; for little-endian processors. Reads no
/// byte beyond them. What is read twice is the same.
inline Pair end_of_message(const std::uint8_t* bytes, std::size_t size) {
  const std::uint64_t mark = std::uint64_t{0x80} << 8 * (size % 8);
  if (size >= 8) {
    // Shifted by 64 altogether when size is 8.
    const std::uint64_t rest = load_as<std::uint64_t>(bytes + size - 8) >> 8 >> 8 * (15 - size);
    return Pair{load_as<std::uint64_t>(bytes), rest | mark};
  }
  std::uint64_t few = 0;
  if (size >= 4) {
    few = load_as<std::uint32_t>(bytes) | load_as<std::uint32_t>(bytes + size - 4)
                                              << 8 * (size - 4);
  } else if (size != 0) {
    few = std::uint64_t{bytes[0]} | std::uint64_t{bytes[size / 2]} << 8 * (size / 2) |
          std::uint64_t{bytes[size - 1]} << 8 * (size - 1);
  }
  return Pair{few | mark, 0};
}

}  // namespace internal

/// Writes the last blocks of a message of `length` bytes: the length % 64 bytes at `bytes` and the
/// padding. `to` has room for kTailRoom bytes and does not overlap `bytes`.
///
/// On little-endian processors sixteen bytes at a time, as kernels read them; a read of what was
/// written in smaller pieces waits until those are in the cache, longer than a short message takes.
///
/// Returns: the number of blocks at `to`, 1 or 2.
inline std::size_t write_tail(std::uint8_t* to, const std::uint8_t* bytes, std::uint64_t length) {
  const std::size_t filled = static_cast<std::size_t>(length % kBlockSize);
  const std::size_t blocks = filled < kBlockSize - 8 ? 1 : 2;
  if constexpr (std::endian::native != std::endian::little) {
    std::memset(to, 0, kTailRoom);
    if (filled != 0) std::memcpy(to, bytes, filled);
    to[filled] = 0x80;
    write_length(to + blocks * kBlockSize, length);
    return blocks;
  }
  const std::size_t whole = filled / 16 * 16;
  const internal::Pair end = internal::end_of_message(bytes + whole, filled - whole);
  const internal::Pair none = {0, 0};
  const internal::Pair last = {0, __builtin_bswap64(length << 3)};
  for (std::size_t at = 0; at < 48; at += 16) {
    if (at < whole) {
      std::memcpy(to + at, bytes + at, 16);
    } else {
      internal::store_pair(to + at, at == whole ? end : none);
    }
  }
  if (blocks == 1) {
    internal::store_pair(to + 48, whole == 48 ? internal::Pair{end.low, last.high} : last);
    return 1;
  }
  internal::store_pair(to + 48, end);
  for (std::size_t at = 64; at < 112; at += 16) internal::store_pair(to + at, none);
  internal::store_pair(to + 112, last);
  return 2;
}

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_PADDING_H_
