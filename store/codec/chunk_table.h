// ChunkTable: the table of contents of commit-graphs and multi-pack-indexes. Format:
// gitformat-chunk(5): rows of a 4-byte chunk id and an 8-byte offset; a row with id 0 ends the
// table, its offset is where the last chunk ends.
//
// A view: the bytes of the file must outlive it. Thread safety: const.
#pragma once

#include <optional>
#include <vector>

#include "store/base/bytes.h"
#include "store/report/fault.h"

namespace assay {

class ChunkTable {
 public:
  static constexpr std::size_t kRowSize = 12;

  struct Chunk {
    std::uint32_t id = 0;
    std::uint64_t offset = 0;  // from the start of the file
    ByteView bytes;
  };

  // How the table lies in its file.
  struct Place {
    std::size_t offset = 0;         // of the first row
    std::size_t count = 0;          // of chunks
    std::size_t alignment = 1;      // what every offset is a multiple of
    std::size_t checksum_size = 0;  // the end of the file, which no chunk may reach into
  };

  // Requires: the file is as long as the checksum.
  // Errors: `id`, in git's words.
  static Result<ChunkTable> parse(ByteView file, const Place& place, MessageId id);

  // Returns: the bytes of the chunk, or nothing when there is none of that id.
  std::optional<ByteView> find(std::uint32_t id) const;
  const std::vector<Chunk>& chunks() const { return chunks_; }

 private:
  std::vector<Chunk> chunks_;
};

// Chunk ids are four letters.
constexpr std::uint32_t chunk_id(const char (&letters)[5]) {
  return (static_cast<std::uint32_t>(letters[0]) << 24) |
         (static_cast<std::uint32_t>(letters[1]) << 16) |
         (static_cast<std::uint32_t>(letters[2]) << 8) | static_cast<std::uint32_t>(letters[3]);
}

}  // namespace assay
