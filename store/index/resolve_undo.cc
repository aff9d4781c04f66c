#include "store/index/resolve_undo.h"

#include <charconv>

#include "store/base/byte_reader.h"

namespace assay {
namespace {

std::optional<std::uint32_t> parse_mode(ByteReader& reader) {
  const auto text = reader.take_until(0);
  if (!text) return std::nullopt;
  const char* begin = reinterpret_cast<const char*>(text->data());
  const char* end = begin + text->size();
  std::uint32_t mode = 0;
  const auto [rest, error] = std::from_chars(begin, end, mode, 8);
  if (error != std::errc() || rest != end) return std::nullopt;
  return mode;
}

}  // namespace

std::optional<std::vector<ResolveUndoEntry>> parse_resolve_undo(ByteView bytes, HashKind kind) {
  ByteReader reader(bytes);
  std::vector<ResolveUndoEntry> entries;
  while (!reader.at_end()) {
    const auto path = reader.take_until(0);
    if (!path) return std::nullopt;
    ResolveUndoEntry entry;
    entry.path = as_text(*path);
    for (std::uint32_t& mode : entry.modes) {
      const auto parsed = parse_mode(reader);
      if (!parsed) return std::nullopt;
      mode = *parsed;
    }
    for (std::size_t stage = 0; stage < entry.modes.size(); ++stage) {
      entry.ids[stage] = ObjectId::null(kind);
      if (entry.modes[stage] == 0) continue;
      const auto id = reader.take(id_size(kind));
      if (!id) return std::nullopt;
      entry.ids[stage] = ObjectId::from_raw(id->data(), kind);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace assay
