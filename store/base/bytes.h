// Views of bytes and the conversions between text and bytes.
//
// A view borrows: it is valid as long as the storage it was made from. Nothing here owns memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

using ByteView = std::span<const std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Big-endian ("network order") numbers, as every file format of git stores them.
// Requires: the pointer has 2, 4 or 8 readable bytes.
inline std::uint16_t read_be16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>((p[0] << 8) | p[1]);
}

inline std::uint32_t read_be32(const std::uint8_t* p) {
  return (std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) |
         p[3];
}

inline std::uint64_t read_be64(const std::uint8_t* p) {
  return (std::uint64_t{read_be32(p)} << 32) | read_be32(p + 4);
}

}  // namespace assay
