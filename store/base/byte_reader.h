// ByteReader: a cursor over untrusted bytes that can never step outside them.
//
// Every read says whether it succeeded; after a failed read the cursor has not moved.
#pragma once

#include <optional>

#include "store/base/bytes.h"

namespace assay {

class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }
  bool at_end() const { return remaining() == 0; }
  ByteView rest() const { return bytes_.subspan(offset_); }

  std::optional<std::uint8_t> u8() {
    if (remaining() < 1) return std::nullopt;
    return bytes_[offset_++];
  }
  std::optional<std::uint16_t> be16() { return number<std::uint16_t, 2>(read_be16); }
  std::optional<std::uint32_t> be32() { return number<std::uint32_t, 4>(read_be32); }
  std::optional<std::uint64_t> be64() { return number<std::uint64_t, 8>(read_be64); }

  // Returns: the next `size` bytes, a view into the bytes given at construction.
  std::optional<ByteView> take(std::uint64_t size) {
    if (size > remaining()) return std::nullopt;
    const ByteView taken = bytes_.subspan(offset_, static_cast<std::size_t>(size));
    offset_ += static_cast<std::size_t>(size);
    return taken;
  }

  // Returns: the bytes up to the next `stop` (which is consumed, not returned).
  std::optional<ByteView> take_until(std::uint8_t stop) {
    const void* found =
        remaining() == 0 ? nullptr : std::memchr(bytes_.data() + offset_, stop, remaining());
    if (found == nullptr) return std::nullopt;
    const auto size = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) -
                                               (bytes_.data() + offset_));
    const ByteView taken = bytes_.subspan(offset_, size);
    offset_ += size + 1;
    return taken;
  }

 private:
  template <typename T, std::size_t kSize, typename Read>
  std::optional<T> number(Read read) {
    if (remaining() < kSize) return std::nullopt;
    const T value = read(bytes_.data() + offset_);
    offset_ += kSize;
    return value;
  }

  ByteView bytes_;
  std::size_t offset_ = 0;
};

}  // namespace assay
