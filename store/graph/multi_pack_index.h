// MultiPackIndex: what one multi-pack-index file (version 1 or 2) says: in which of its packs, and
// where, every object lies. Format: gitformat-pack(5), "multi-pack-index (MIDX) files".
//
// An object is named by its row (its rank among the sorted ids of this file), a pack by its rank
// among the names of this file. A view: the bytes must outlive it. Thread safety: const.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/positions.h"
#include "store/codec/chunk_table.h"
#include "store/codec/find_id.h"
#include "store/report/fault.h"

namespace assay {

class MultiPackIndex {
 public:
  // Checks all that git checks before it uses the file: signature, versions, chunk table, required
  // chunks and their sizes, fanout order, pack names; in git's words. `path` is used in these
  // words only.
  // Errors: kMultiPackIndexUnreadable, or kMultiPackIndexFatal where git dies.
  static Result<MultiPackIndex> parse(ByteView bytes, HashKind kind, std::string_view path);

  HashKind kind() const { return kind_; }
  int version() const { return version_; }
  std::uint32_t count() const { return count_; }
  // "pack-<hash>.idx" each, as the file says; they point into its bytes.
  const std::vector<std::string_view>& pack_names() const { return pack_names_; }
  std::uint32_t fanout(std::size_t byte) const { return read_be32(fanout_ + 4 * byte); }
  // The whole file, whose last bytes are its own checksum. Its bitmap and reverse index are called
  // by that.
  ByteView bytes() const { return bytes_; }
  ObjectId checksum() const {
    return ObjectId::from_raw(bytes_.data() + bytes_.size() - id_size(kind_), kind_);
  }

  // Returns: a row that holds the id, found by halving within its fanout range.
  std::optional<std::uint32_t> find(const std::uint8_t* raw_id) const {
    return find_id(fanout_, ids_, id_size(kind_), id_size(kind_), raw_id);
  }

  // Requires (all of them): row < count().
  const std::uint8_t* raw_id(std::uint32_t row) const {
    return ids_ + std::size_t{row} * id_size(kind_);
  }
  ObjectId id(std::uint32_t row) const { return ObjectId::from_raw(raw_id(row), kind_); }
  // Which may be any number.
  std::uint32_t pack(std::uint32_t row) const { return read_be32(offsets_ + 8 * std::size_t{row}); }
  // Returns: nothing when the row points outside the chunk of large offsets; git dies there.
  std::optional<PackOffset> offset(std::uint32_t row) const;

  // The order of the bits of the bitmap: rows (counted on through lower layers), one for each
  // object. Not checked by git, nor here.
  std::optional<ByteView> reverse_index() const { return reverse_index_; }
  // For every pack the first bit and the number of bits of its objects.
  std::optional<ByteView> bitmapped_packs() const { return bitmapped_packs_; }

 private:
  Result<void> read_required(const ChunkTable& chunks, std::uint32_t pack_count);
  Result<void> read_pack_names(ByteView names, std::uint32_t pack_count);

  ByteView bytes_;
  HashKind kind_ = HashKind::kSha1;
  int version_ = 1;
  std::uint32_t count_ = 0;
  std::vector<std::string_view> pack_names_;
  const std::uint8_t* fanout_ = nullptr;
  const std::uint8_t* ids_ = nullptr;
  const std::uint8_t* offsets_ = nullptr;
  std::optional<ByteView> large_offsets_;
  std::optional<ByteView> reverse_index_;
  std::optional<ByteView> bitmapped_packs_;
};

}  // namespace assay
