// BitmapFile: what a reachability bitmap (.bitmap of a pack or of a multi-pack-index) says. Format:
// gitformat-bitmap(5).
//
// Bits stand for objects in pack order, positions of commits are ranks among the sorted ids. What
// the bits mean is not known here, only that they can mean something.
// A view, but for its bitmaps: the bytes must outlive it. Thread safety: const.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/base/positions.h"
#include "store/codec/ewah.h"
#include "store/report/fault.h"

namespace assay {

class BitmapFile {
 public:
  // No bitmap is combined with one that lies further back than so many entries.
  static constexpr std::uint32_t kMostXorOffset = 160;

  // The objects that a bitmap may be about.
  struct Objects {
    std::uint32_t count = 0;  // in the pack or layer: so many name hashes
    std::uint32_t total = 0;  // and in all layers below: so many bits
  };
  struct Entry {
    IndexPosition commit;
    std::uint32_t xor_offset = 0;  // so many entries before is the one it is combined with; 0: none
    std::uint8_t flags = 0;
    std::uint64_t offset = 0;  // from the start of the file
  };

  // Checks everything: header, sizes of all parts, every bitmap, the lookup table against the
  // entries. Not the checksum at the end. Errors: kBitmapUntrue, at the first fault.
  // `visit` is given the entries with their bitmaps as they are read.
  using Visit = std::function<void(const Entry&, const EwahBitmap&)>;
  static Result<BitmapFile> parse(ByteView bytes, HashKind kind, const Objects& objects,
                                  const Visit& visit = {});

  // Of the pack or multi-pack-index that the bitmap was made for.
  ByteView pack_checksum() const { return bytes_.subspan(kFixedHeaderSize, id_size(kind_)); }
  // Which of the objects are of that type. Requires: one of the four types.
  const EwahBitmap& of_type(ObjectType type) const {
    return types_[static_cast<std::size_t>(type) - 1];
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  static constexpr std::size_t kFixedHeaderSize = 12;

  Result<void> read_header();
  Result<void> read_bitmaps(const Visit& visit);
  Result<void> check_lookup_table() const;
  Result<void> check_pseudo_merges() const;
  Result<EwahBitmap> read_ewah(ByteReader& reader, std::uint64_t base) const;
  // Takes `size` bytes from the end of what is left of the file; false when there are not so many.
  bool take_from_end(std::uint64_t size, ByteView& part);

  ByteView bytes_;
  HashKind kind_ = HashKind::kSha1;
  Objects objects_;
  ByteView rest_;  // header and bitmaps: what no extension has taken
  std::uint32_t entry_count_ = 0;
  std::optional<ByteView> lookup_table_;
  std::optional<ByteView> pseudo_merges_;
  std::array<EwahBitmap, 4> types_;
  std::vector<Entry> entries_;
};

}  // namespace assay
