// EntryReader: the bytes of a pack's entries, in any order.
//
// Small ones are read from the file into a buffer; most often the entry that is wanted next follows
// and is there already. To map a page here and there, and to give it back, takes longer than to
// read what is needed of it, and keeps more memory resident (docs/adr/0004-packs-are-mapped.md).
// Large entries, and whatever cannot be read, are taken from the mapping.
//
// Thread safety: one reader a thread.
#pragma once

#include "store/pack/pack_file.h"

namespace assay {

class EntryReader {
 public:
  // Returns: the bytes of the pack from `begin` on, up to `end` or beyond, as
  // PackFile::entry_header wants them. Valid until the next call. Requires: begin and end as of a
  // DeltaForest of the pack.
  ByteView read(const PackFile& pack, PackOffset begin, PackOffset end);

 private:
  static constexpr std::size_t kRoom = std::size_t{64} << 10;
  static constexpr std::size_t kReadAtOnce = std::size_t{1} << 10;

  const PackFile* pack_ = nullptr;  // whose bytes are in the buffer
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  Bytes buffer_;  // made when it is first needed
};

}  // namespace assay
