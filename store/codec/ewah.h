// EWAH bitmaps: runs of equal words and literal words (gitformat-bitmap(5), appendix A).
//
// On disk: 32-bit number of bits, 32-bit number of words, the 64-bit words, 32-bit position of the
// last marker word; all big-endian. A marker word: bit 0 is the bit of the run, the next 32 bits
// its length in words, the upper 31 bits the number of literal words that follow the marker.
//
// A few words can stand for 2^38 set bits, so bits are handed out one by one and the receiver
// says when to stop. Owns its words. Thread safety: const members from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/base/byte_reader.h"

namespace assay {

class EwahBitmap {
 public:
  EwahBitmap() = default;  // no bits

  // Returns: nothing if the bytes end too early or markers count more words than there are; the
  // reader stands behind the bitmap otherwise.
  static std::optional<EwahBitmap> parse(ByteReader& reader);

  // Calls `visit(position)` for every set bit, ascending, until it returns false.
  template <typename Visit>
  void for_each(Visit visit) const {
    std::uint64_t position = 0;
    for (std::size_t i = 0; i < words_.size();) {
      const std::uint64_t marker = words_[i++];
      const std::uint64_t run_bits = (marker >> 1 & 0xffffffff) * 64;
      if ((marker & 1) != 0) {
        for (std::uint64_t k = 0; k < run_bits; ++k) {
          if (!visit(position + k)) return;
        }
      }
      position += run_bits;
      for (std::uint64_t literals = marker >> 33; literals > 0; --literals, position += 64) {
        for (std::uint64_t word = words_[i++]; word != 0; word &= word - 1) {
          if (!visit(position + static_cast<unsigned>(__builtin_ctzll(word)))) return;
        }
      }
    }
  }

  std::uint32_t bit_size() const { return bit_size_; }
  // Returns: one more than the position of the last set bit; 0 when none is set.
  std::uint64_t end() const;
  // False when the file names another word as the last marker: git appends there unchecked.
  bool knows_last_marker() const { return stored_marker_ == last_marker_; }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t bit_size_ = 0;
  std::uint32_t stored_marker_ = 0;
  std::uint32_t last_marker_ = 0;
};

}  // namespace assay
