// Commit-graphs and multi-pack-indexes as bytes: where a chunk lies, and files made chunk by chunk.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/bytes.h"
#include "tests/support/index_builder.h"

namespace assay::testing {

inline std::string be64_text(std::uint64_t value) {
  return be32_text(static_cast<std::uint32_t>(value >> 32)) +
         be32_text(static_cast<std::uint32_t>(value));
}

// A chunk: four letters and its bytes.
using ChunkText = std::pair<std::string, std::string>;

// `header` and a table of contents, then the chunks, then the checksum.
inline std::string chunk_file(const std::string& header, const std::vector<ChunkText>& chunks,
                              HashKind kind = HashKind::kSha1) {
  std::string table;
  std::uint64_t offset = header.size() + 12 * (chunks.size() + 1);
  std::string content;
  for (const ChunkText& chunk : chunks) {
    table += chunk.first + be64_text(offset);
    offset += chunk.second.size();
    content += chunk.second;
  }
  table += be32_text(0) + be64_text(offset);
  return IndexBuilder::seal(header + table + content, kind);
}

// Returns: where the row of the chunk stands in the table of a file; npos when it has none.
inline std::size_t chunk_row(std::string_view file, std::string_view id) {
  const std::size_t header_size = file.starts_with("MIDX") ? 12 : 8;
  const auto count = static_cast<std::uint8_t>(file[6]);
  for (std::size_t i = 0; i < count; ++i) {
    if (file.substr(header_size + 12 * i, 4) == id) return header_size + 12 * i;
  }
  return std::string::npos;
}
// Returns: where the chunk begins, in bytes from the start of the file.
inline std::size_t chunk_offset(std::string_view file, std::string_view id) {
  const std::size_t row = chunk_row(file, id);
  if (row == std::string::npos) return row;
  return read_be64(as_bytes(file).data() + row + 4);
}

// The fanout of sorted raw ids.
inline std::string fanout_text(const std::vector<std::string>& raw_ids) {
  std::string text;
  std::size_t next = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    while (next < raw_ids.size() && static_cast<std::uint8_t>(raw_ids[next][0]) <= byte) ++next;
    text += be32_text(static_cast<std::uint32_t>(next));
  }
  return text;
}

}  // namespace assay::testing
