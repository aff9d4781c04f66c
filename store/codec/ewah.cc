#include "store/codec/ewah.h"

namespace assay {

std::optional<EwahBitmap> EwahBitmap::parse(ByteReader& reader) {
  EwahBitmap bitmap;
  const auto bit_size = reader.be32();
  const auto word_count = reader.be32();
  if (!bit_size || !word_count) return std::nullopt;
  const auto bytes = reader.take(std::uint64_t{*word_count} * 8);
  if (!bytes || !reader.be32()) return std::nullopt;
  bitmap.bit_size_ = *bit_size;
  bitmap.words_.reserve(*word_count);
  for (std::size_t i = 0; i < *word_count; ++i) {
    bitmap.words_.push_back(read_be64(bytes->data() + 8 * i));
  }
  // Every marker's literals must be there, so that for_each need not look.
  for (std::uint64_t i = 0; i < bitmap.words_.size();) {
    i += 1 + (bitmap.words_[i] >> 33);
    if (i > bitmap.words_.size()) return std::nullopt;
  }
  return bitmap;
}

}  // namespace assay
