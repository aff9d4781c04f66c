#include "store/codec/chunk_table.h"

#include <fmt/format.h>

namespace assay {

Result<ChunkTable> ChunkTable::parse(ByteView file, const Place& place, MessageId id) {
  const auto bad = [&](std::size_t offset, std::string text) {
    return fault(id, std::move(text), offset);
  };
  ChunkTable table;
  table.chunks_.reserve(place.count);
  const std::uint64_t end_of_chunks = file.size() - place.checksum_size;
  std::size_t row = place.offset;
  for (std::size_t i = 0; i < place.count; ++i, row += kRowSize) {
    if (row + kRowSize > file.size()) return bad(row, "chunk table reaches beyond the file");
    const std::uint8_t* bytes = file.data() + row;
    const std::uint32_t chunk = read_be32(bytes);
    const std::uint64_t begin = read_be64(bytes + 4);
    if (chunk == 0) return bad(row, "terminating chunk id appears earlier than expected");
    if (begin % place.alignment != 0) {
      return bad(row, fmt::format("chunk id {:x} not {}-byte aligned", chunk, place.alignment));
    }
    if (row + 2 * kRowSize > file.size()) return bad(row, "chunk table reaches beyond the file");
    const std::uint64_t end = read_be64(bytes + kRowSize + 4);
    if (end < begin || end > end_of_chunks) {
      return bad(row, fmt::format("improper chunk offset(s) {:x} and {:x}", begin, end));
    }
    if (table.find(chunk)) return bad(row, fmt::format("duplicate chunk ID {:x} found", chunk));
    table.chunks_.push_back(
        {chunk, begin,
         file.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))});
  }
  if (row + kRowSize > file.size()) return bad(row, "chunk table reaches beyond the file");
  const std::uint32_t last = read_be32(file.data() + row);
  if (last != 0) return bad(row, fmt::format("final chunk has non-zero id {:x}", last));
  return table;
}

std::optional<ByteView> ChunkTable::find(std::uint32_t id) const {
  for (const Chunk& chunk : chunks_) {
    if (chunk.id == id) return chunk.bytes;
  }
  return std::nullopt;
}

}  // namespace assay
