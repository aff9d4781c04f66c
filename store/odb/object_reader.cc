// Reading of single objects; see object_database.h.
#include <fmt/format.h>

#include <limits>

#include "store/object/object_header.h"
#include "store/odb/object_database.h"

namespace assay {
namespace {

// Objects above this size are streamed where that is possible.
constexpr std::uint64_t kStreamedAbove = std::uint64_t{16} << 20;

tl::unexpected<Fault> missing(const ObjectId& id) {
  return fault(MessageId::kMissing, fmt::format("object {} is missing", id.hex()));
}

bool is_empty_tree(const ObjectId& id) { return id == empty_tree_id(id.kind()); }

}  // namespace

ObjectReader::ObjectReader(const ObjectDatabase& database)
    : database_(database), packs_(database.packs()), loose_reader_(database.system()) {}

std::vector<ObjectReader::Copy> ObjectReader::packed_copies(const ObjectId& id) const {
  std::vector<Copy> found;
  for (const PackList& list : packs_->by_directory) {
    for (const auto& pack : list) {
      const auto position = pack->index().find(id.data());
      const auto offset = position ? pack->index().offset(*position) : std::nullopt;
      if (offset) found.push_back({nullptr, pack, *offset});
    }
  }
  return found;
}

std::vector<ObjectReader::Copy> ObjectReader::copies(const ObjectId& id) {
  std::vector<Copy> found = packed_copies(id);
  for (const ObjectDirectory& directory : database_.directories()) {
    if (directory.has_loose(id)) found.push_back({&directory, nullptr, {}});
  }
  if (found.empty()) {
    // Perhaps it was packed since.
    packs_ = database_.reload_packs();
    found = packed_copies(id);
  }
  return found;
}

bool ObjectReader::contains(const ObjectId& id) { return !copies(id).empty() || is_empty_tree(id); }

Result<ObjectInfo> ObjectReader::info(const ObjectId& id) {
  std::optional<Fault> first;
  for (const Copy& copy : copies(id)) {
    auto info = info_of(copy, id);
    if (info) return info;
    if (!first) first = info.error();
  }
  if (is_empty_tree(id)) return ObjectInfo{ObjectType::kTree, 0, 0, std::nullopt};
  if (first) return tl::unexpected(*first);
  return missing(id);
}

Result<ObjectReader::Object> ObjectReader::read(const ObjectId& id, std::uint64_t limit) {
  std::optional<Fault> first;
  for (const Copy& copy : copies(id)) {
    auto object = read_copy(copy, id, limit);
    if (object) return object;
    if (!first) first = object.error();
  }
  if (is_empty_tree(id)) return Object{ObjectType::kTree, {}};
  if (first) return tl::unexpected(*first);
  return missing(id);
}

Result<void> ObjectReader::stream(const ObjectId& id, const Begin& begin, const Consumer& consume) {
  std::optional<Fault> first;
  for (const Copy& copy : copies(id)) {
    bool begun = false;
    const auto streamed = stream_copy(copy, id, begin, consume, begun);
    // What the consumer has seen cannot be taken back.
    if (streamed || begun) return streamed;
    if (!first) first = streamed.error();
  }
  if (is_empty_tree(id)) {
    begin(ObjectType::kTree, 0);
    return {};
  }
  if (first) return tl::unexpected(*first);
  return missing(id);
}

Result<ObjectInfo> ObjectReader::info_of(const Copy& copy, const ObjectId& id) {
  if (copy.directory != nullptr) {
    const auto header = loose_reader_.open(copy.directory->loose_place(id));
    loose_reader_.close();
    if (!header) return tl::unexpected(header.error());
    return ObjectInfo{header->type, header->size, header->deflated_size, std::nullopt};
  }
  const auto pack = copy.pack->pack();
  if (!pack) return tl::unexpected(pack.error());
  const auto packed = pack_reader_.info(**pack, copy.pack->index(), copy.offset);
  if (!packed) return tl::unexpected(packed.error());
  ObjectInfo info{packed->type, packed->size, copy.pack->entry_size(copy.offset), std::nullopt};
  if (packed->is_delta) {
    const auto base = copy.pack->offset_order().position_at(packed->base_offset);
    if (base) info.delta_base = copy.pack->index().id(*base);
  }
  return info;
}

Result<ObjectReader::Object> ObjectReader::read_copy(const Copy& copy, const ObjectId& id,
                                                     std::uint64_t limit) {
  Object object;
  if (copy.directory != nullptr) {
    auto loose = read_loose_object(loose_reader_, copy.directory->loose_place(id), limit);
    if (!loose) return tl::unexpected(loose.error());
    if (!loose->content) {
      loose_reader_.close();
      return fault(
          MessageId::kObjectTooLarge,
          fmt::format("object {} is too large to be held: {} bytes", id.hex(), loose->size));
    }
    object = {loose->type, std::move(*loose->content)};
  } else {
    const auto pack = copy.pack->pack();
    if (!pack) return tl::unexpected(pack.error());
    auto packed = pack_reader_.read(**pack, copy.pack->index(), copy.offset, limit);
    if (!packed) return tl::unexpected(packed.error());
    object = {packed->type, std::move(packed->content)};
  }
  const ObjectName name = name_object(object.type, object.content, id.kind());
  if (name.id != id) {
    return fault(MessageId::kHashPathMismatch, fmt::format("{}: hash-path mismatch, found at: {}",
                                                           name.id.hex(), where(copy, id)));
  }
  return object;
}

Result<void> ObjectReader::stream_copy(const Copy& copy, const ObjectId& id, const Begin& begin,
                                       const Consumer& consume, bool& begun) {
  // Small ones and deltas are held whole, so that they are known to be right before they are
  // handed out, and another copy can still be tried.
  bool hold = true;
  LooseHeader header;
  if (copy.directory != nullptr) {
    const auto opened = loose_reader_.open(copy.directory->loose_place(id));
    if (!opened) return tl::unexpected(opened.error());
    header = *opened;
    hold = header.size <= kStreamedAbove;
  } else {
    const auto pack = copy.pack->pack();
    if (!pack) return tl::unexpected(pack.error());
    const auto info = pack_reader_.info(**pack, copy.pack->index(), copy.offset);
    if (!info) return tl::unexpected(info.error());
    header.type = info->type;
    header.size = info->size;
    hold = info->size <= kStreamedAbove || info->is_delta;
  }
  if (hold) {
    const auto object = read_copy(copy, id, std::numeric_limits<std::uint32_t>::max());
    if (!object) return tl::unexpected(object.error());
    begun = true;
    begin(object->type, object->content.size());
    if (!object->content.empty()) consume(object->content);
    return {};
  }
  begun = true;
  begin(header.type, header.size);
  ObjectHasher hasher(id.kind());
  hasher.update(ObjectHeaderText(header.type, header.size).bytes());
  const Consumer hash_and_consume = [&](ByteView piece) {
    hasher.update(piece);
    consume(piece);
  };
  const auto streamed =
      copy.directory != nullptr
          ? loose_reader_.stream(hash_and_consume)
          : pack_reader_.stream(**copy.pack->pack(), copy.offset, hash_and_consume);
  if (!streamed) return streamed;
  const ObjectId found = hasher.finish().id;
  if (found != id) {
    return fault(MessageId::kHashPathMismatch,
                 fmt::format("{}: hash-path mismatch, found at: {}", found.hex(), where(copy, id)));
  }
  return {};
}

std::string ObjectReader::where(const Copy& copy, const ObjectId& id) const {
  if (copy.directory != nullptr) return copy.directory->loose_place(id).path;
  const auto pack = copy.pack->pack();
  return fmt::format("{}, offset {}", pack ? (*pack)->path() : copy.pack->stem(),
                     copy.offset.value);
}

}  // namespace assay
