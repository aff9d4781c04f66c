// MtimesFile: what the .mtimes file of a cruft pack says: when every object was last wanted.
// Format: gitformat-pack(5), "pack-*.mtimes files".
//
// A view: the bytes must outlive it. Thread safety: const.
#pragma once

#include <string_view>

#include "store/base/object_id.h"
#include "store/base/positions.h"
#include "store/report/fault.h"

namespace assay {

class MtimesFile {
 public:
  // `count`: objects in the pack, which fixes the size. Checks size, signature, version and hash,
  // in git's words; `path` is used in these words only. Errors: kMtimesBad.
  static Result<MtimesFile> parse(ByteView bytes, HashKind kind, std::uint32_t count,
                                  std::string_view path);

  // Seconds since 1970. Requires: position.value < the count given.
  std::uint32_t at(IndexPosition position) const {
    return read_be32(bytes_.data() + kHeaderSize + std::size_t{position.value} * 4);
  }
  ByteView pack_checksum() const {
    return bytes_.subspan(bytes_.size() - 2 * id_size(kind_), id_size(kind_));
  }
  // The whole file, whose last bytes are its own checksum.
  ByteView bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kHeaderSize = 12;

  ByteView bytes_;
  HashKind kind_ = HashKind::kSha1;
};

}  // namespace assay
