#include "store/pack/resolve_pack.h"

#include <fmt/format.h>

#include "store/codec/crc32.h"

namespace assay {

ByteView entry_bytes(const ResolvePack& pack, PackPosition entry) {
  const std::uint64_t begin = pack.forest->offset(entry).value;
  const std::uint64_t end = pack.forest->end(entry).value;
  return pack.pack->bytes().subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(end - begin));
}

std::optional<Fault> check_entry_crc(const ResolvePack& pack, PackPosition entry, ByteView bytes) {
  if (!pack.index->has_crc()) return std::nullopt;
  const IndexPosition position = pack.forest->index_position(entry);
  if (crc32_of(bytes) == pack.index->crc(position)) return std::nullopt;
  const std::uint64_t offset = pack.forest->offset(entry).value;
  return Fault(MessageId::kEntryCrcMismatch,
               fmt::format("index CRC mismatch for object {} from {} at offset {}",
                           pack.index->id(position).hex(), pack.pack->path(), offset),
               offset);
}

}  // namespace assay
