// PackIndex: what a pack index (.idx, version 1 or 2) says. Format: gitformat-pack, "Original" and
// "Version 2 pack-*.idx files".
//
// A PackIndex is a view: the bytes it was parsed from must outlive it. Thread safety: const.
#pragma once

#include <optional>
#include <span>

#include "store/base/object_id.h"
#include "store/base/positions.h"
#include "store/report/fault.h"

namespace assay {

class PackIndex {
 public:
  // Checks sizes, signature, version and that the fanout never decreases: what is needed to read
  // any field without stepping outside. `path` is used in the words of the fault only.
  static Result<PackIndex> parse(ByteView bytes, HashKind kind, std::string_view path);

  HashKind kind() const { return kind_; }
  int version() const { return version_; }
  std::uint32_t count() const { return count_; }

  // Requires (all of them): position.value < count().
  const std::uint8_t* raw_id(IndexPosition position) const {
    return ids_ + std::size_t{position.value} * id_stride_;
  }
  ObjectId id(IndexPosition position) const { return ObjectId::from_raw(raw_id(position), kind_); }
  // Returns: nothing when the entry points outside the table of 64-bit offsets.
  std::optional<PackOffset> offset(IndexPosition position) const;
  // CRC-32 of the entry's bytes in the pack; version 1 has none.
  bool has_crc() const { return crcs_ != nullptr; }
  std::uint32_t crc(IndexPosition position) const {
    return read_be32(crcs_ + std::size_t{position.value} * 4);
  }
  // Brings the CRC-32 into the cache. Requires: has_crc().
  void prefetch_crc(IndexPosition position) const {
    __builtin_prefetch(crcs_ + std::size_t{position.value} * 4);
  }

  // Returns: a position that holds the id, found by halving within its fanout range.
  std::optional<IndexPosition> find(const std::uint8_t* raw_id) const;
  // Returns: the positions [first, last) whose ids begin as `prefix` (hex digits) does; none for
  // what is not the start of an id.
  std::pair<std::uint32_t, std::uint32_t> find_prefix(std::string_view prefix) const;

  ByteView pack_checksum() const {
    return bytes_.subspan(bytes_.size() - 2 * id_size(kind_), id_size(kind_));
  }
  ByteView stored_checksum() const { return bytes_.last(id_size(kind_)); }
  // The bytes that stored_checksum() is the hash of.
  ByteView checksummed_bytes() const { return bytes_.first(bytes_.size() - id_size(kind_)); }

  // Ids ascending and a fanout that tells the truth. git fsck does not look (verify-pack does):
  // lookups by halving miss objects when it does not hold. An id that occurs twice is in order.
  // Returns: the first position out of place.
  std::optional<IndexPosition> first_out_of_order() const;

 private:
  std::uint32_t fanout(std::size_t byte) const { return read_be32(fanout_ + 4 * byte); }

  ByteView bytes_;
  HashKind kind_ = HashKind::kSha1;
  int version_ = 2;
  std::uint32_t count_ = 0;
  const std::uint8_t* fanout_ = nullptr;
  const std::uint8_t* ids_ = nullptr;
  std::size_t id_stride_ = 0;  // version 1 keeps 4 bytes of offset before each id
  const std::uint8_t* crcs_ = nullptr;
  const std::uint8_t* offsets_ = nullptr;        // 32 bits each
  std::span<const std::uint8_t> large_offsets_;  // 64 bits each
};

}  // namespace assay
