// ReverseIndex: what a reverse index (.rev) says: the index position of every entry of a pack, in
// the order of the entries. Format: gitformat-pack(5), "pack-*.rev files".
//
// A ReverseIndex is a view: the bytes it was parsed from must outlive it. Thread safety: const.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "store/base/object_id.h"
#include "store/base/positions.h"
#include "store/report/fault.h"

namespace assay {

class ReverseIndex {
 public:
  // `count`: objects in the pack, which fixes the size. Checks size, signature, version and hash
  // id, in git's words; `path` is used in these words only. Errors: kReverseIndexBad.
  static Result<ReverseIndex> parse(ByteView bytes, HashKind kind, std::uint32_t count,
                                    std::string_view path);

  std::uint32_t count() const { return count_; }
  // Requires: position.value < count(). Returns: what the file says, which may be any number.
  IndexPosition at(PackPosition position) const {
    return {read_be32(bytes_.data() + kHeaderSize + std::size_t{position.value} * 4)};
  }
  // 1 for SHA-1, 2 for SHA-256. git takes either, whatever the repository uses.
  std::uint32_t hash_id() const { return read_be32(bytes_.data() + 8); }
  ByteView pack_checksum() const {
    return bytes_.subspan(bytes_.size() - 2 * id_size(kind_), id_size(kind_));
  }
  // The whole file, whose last bytes are its own checksum.
  ByteView bytes() const { return bytes_; }

  // Returns: the first position, from `begin` on, where the file differs from `expected`; nothing
  // when the rest agrees. Requires: expected has count() elements.
  std::optional<PackPosition> first_difference(std::span<const std::uint32_t> expected,
                                               PackPosition begin) const;

 private:
  static constexpr std::size_t kHeaderSize = 12;

  ByteView bytes_;
  HashKind kind_ = HashKind::kSha1;
  std::uint32_t count_ = 0;
};

}  // namespace assay
