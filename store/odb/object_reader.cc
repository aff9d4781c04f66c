// Reading of single objects; see object_database.h.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "store/object/object_header.h"
#include "store/odb/object_database.h"

namespace assay {
namespace {

// Objects above this size are streamed where that is possible.
constexpr std::uint64_t kStreamedAbove = std::uint64_t{16} << 20;

tl::unexpected<Fault> missing(const ObjectId& id) {
  return fault(MessageId::kMissing, fmt::format("object {} is missing", id.hex()));
}

// Of several copies the fault of the first one is told.
template <typename T>
void keep_first_fault(Result<T>& result, Result<T> next) {
  if (next || result.error().id == MessageId::kMissing) result = std::move(next);
}

bool is_empty_tree(const ObjectId& id) { return id == empty_tree_id(id.kind()); }

}  // namespace

ObjectReader::ObjectReader(const ObjectDatabase& database)
    : database_(database), packs_(database.packs()), loose_reader_(database.system()) {}

bool ObjectReader::visit_packed(const ObjectId& id, const Visit& done,
                                const ObjectDatabase::Packs* known) const {
  for (std::size_t i = 0; i < packs_->by_directory.size(); ++i) {
    for (const auto& pack : packs_->by_directory[i]) {
      if (known != nullptr) {
        const PackList& list = known->by_directory[i];
        if (std::find(list.begin(), list.end(), pack) != list.end()) continue;
      }
      const auto position = pack->index().find(id.data());
      const auto offset = position ? pack->index().offset(*position) : std::nullopt;
      if (offset && done({nullptr, pack, *offset})) return true;
    }
  }
  return false;
}

bool ObjectReader::visit_copies(const ObjectId& id, const Visit& done) {
  if (visit_packed(id, done)) return true;
  for (const ObjectDirectory& directory : database_.directories()) {
    if (directory.has_loose(id) && done({&directory, nullptr, {}})) return true;
  }
  // Perhaps it was packed since, or its pack was replaced.
  const auto known = std::exchange(packs_, database_.reload_packs());
  return visit_packed(id, done, known.get());
}

bool ObjectReader::contains(const ObjectId& id) {
  return visit_copies(id, [](const Copy&) { return true; }) || is_empty_tree(id);
}

Result<ObjectInfo> ObjectReader::info(const ObjectId& id) {
  Result<ObjectInfo> result = missing(id);
  const bool good = visit_copies(id, [&](const Copy& copy) {
    keep_first_fault(result, info_of(copy, id));
    return result.has_value();
  });
  if (!good && is_empty_tree(id)) return ObjectInfo{ObjectType::kTree, 0, 0, std::nullopt};
  return result;
}

Result<ObjectReader::Object> ObjectReader::read(const ObjectId& id, std::uint64_t limit) {
  Result<Object> result = missing(id);
  const bool good = visit_copies(id, [&](const Copy& copy) {
    keep_first_fault(result, read_copy(copy, id, limit));
    return result.has_value();
  });
  if (!good && is_empty_tree(id)) return Object{ObjectType::kTree, {}};
  return result;
}

Result<void> ObjectReader::stream(const ObjectId& id, const Begin& begin, const Consumer& consume) {
  Result<void> result = missing(id);
  bool begun = false;
  visit_copies(id, [&](const Copy& copy) {
    auto streamed = stream_copy(copy, id, begin, consume, begun);
    if (begun) {
      // What the consumer has seen cannot be taken back.
      result = std::move(streamed);
    } else {
      keep_first_fault(result, std::move(streamed));
    }
    return begun;
  });
  if (!begun && is_empty_tree(id)) {
    begin(ObjectType::kTree, 0);
    return {};
  }
  return result;
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
    read_packs_.insert(copy.pack);
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
