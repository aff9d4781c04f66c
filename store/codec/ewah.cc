#include "store/codec/ewah.h"

namespace assay {

std::optional<EwahBitmap> EwahBitmap::parse(ByteReader& reader) {
  EwahBitmap bitmap;
  const auto bit_size = reader.be32();
  const auto word_count = reader.be32();
  if (!bit_size || !word_count) return std::nullopt;
  const auto bytes = reader.take(std::uint64_t{*word_count} * 8);
  const auto marker = bytes ? reader.be32() : std::nullopt;
  if (!marker) return std::nullopt;
  bitmap.bit_size_ = *bit_size;
  bitmap.stored_marker_ = *marker;
  bitmap.words_.reserve(*word_count);
  for (std::size_t i = 0; i < *word_count; ++i) {
    bitmap.words_.push_back(read_be64(bytes->data() + 8 * i));
  }
  // Every marker's literals must be there, so that for_each need not look.
  for (std::uint64_t i = 0; i < bitmap.words_.size();) {
    bitmap.last_marker_ = static_cast<std::uint32_t>(i);
    i += 1 + (bitmap.words_[i] >> 33);
    if (i > bitmap.words_.size()) return std::nullopt;
  }
  return bitmap;
}

std::uint64_t EwahBitmap::end() const {
  std::uint64_t end = 0;
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < words_.size();) {
    const std::uint64_t marker = words_[i++];
    position += (marker >> 1 & 0xffffffff) * 64;
    if ((marker & 1) != 0 && (marker >> 1 & 0xffffffff) != 0) end = position;
    for (std::uint64_t literals = marker >> 33; literals > 0; --literals, position += 64) {
      const std::uint64_t word = words_[i++];
      if (word != 0) end = position + 64 - static_cast<unsigned>(__builtin_clzll(word));
    }
  }
  return end;
}

}  // namespace assay
