#include "store/codec/delta.h"

namespace assay {
namespace {

// Sizes are little-endian groups of seven bits, the top bit says that another follows.
std::optional<std::uint64_t> parse_size(ByteView bytes, std::size_t& position) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; position < bytes.size(); shift += 7) {
    const std::uint64_t byte = bytes[position++];
    const std::uint64_t group = byte & 0x7f;
    if (shift >= 64 || (group << shift) >> shift != group) return std::nullopt;
    value |= group << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

// Copies in steps of 16 bytes; most copies and inserts are shorter than 64.
inline void copy_small(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  for (std::size_t done = 0; done < size; done += 16) std::memcpy(to + done, from + done, 16);
}

constexpr std::size_t kSmall = 256;

// git refuses shorter ones, even if nothing is missing in them (an empty result).
constexpr std::size_t kSmallestDelta = 4;

}  // namespace

std::optional<Delta> parse_delta(ByteView bytes) {
  if (bytes.size() < kSmallestDelta) return std::nullopt;
  std::size_t position = 0;
  const auto base_size = parse_size(bytes, position);
  if (!base_size) return std::nullopt;
  const auto result_size = parse_size(bytes, position);
  if (!result_size) return std::nullopt;
  return Delta{*base_size, *result_size, bytes.subspan(position)};
}

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

bool apply_delta(ByteView base, ByteView program, std::span<std::uint8_t> result) {
  const std::uint8_t* at = program.data();
  const std::uint8_t* const end = at + program.size();
  std::uint8_t* out = result.data();
  std::size_t room = result.size();
  while (at != end) {
    const unsigned code = *at++;
    std::size_t size;
    const std::uint8_t* from;
    if ((code & 0x80) != 0) {
      std::size_t offset = 0;
      size = 0;
      if (end - at >= 7) {
        // The usual case: no operand can step over the end.
        if ((code & 0x01) != 0) offset = *at++;
        if ((code & 0x02) != 0) offset |= std::size_t{*at++} << 8;
        if ((code & 0x04) != 0) offset |= std::size_t{*at++} << 16;
        if ((code & 0x08) != 0) offset |= std::size_t{*at++} << 24;
        if ((code & 0x10) != 0) size = *at++;
        if ((code & 0x20) != 0) size |= std::size_t{*at++} << 8;
        if ((code & 0x40) != 0) size |= std::size_t{*at++} << 16;
      } else {
        for (int i = 0; i < 7; ++i) {
          if ((code >> i & 1) == 0) continue;
          if (at == end) return false;
          if (i < 4) {
            offset |= std::size_t{*at++} << (8 * i);
          } else {
            size |= std::size_t{*at++} << (8 * (i - 4));
          }
        }
      }
      if (size == 0) size = 0x10000;
      if (offset > base.size() || size > base.size() - offset || size > room) return false;
      from = base.data() + offset;
      if (size > kSmall) {
        std::memcpy(out, from, size);
      } else {
        copy_small(out, from, size);
      }
    } else {
      size = code;
      if (size == 0 || size > static_cast<std::size_t>(end - at) || size > room) return false;
      from = at;
      // The program has no slack of its own: step over its end only when it is far away.
      if (static_cast<std::size_t>(end - at) >= size + 16) {
        copy_small(out, from, size);
      } else {
        std::memcpy(out, from, size);
      }
      at += size;
    }
    out += size;
    room -= size;
  }
  return room == 0;
}

}  // namespace assay
