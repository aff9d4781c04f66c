#include "store/fsck/copy_reader.h"

#include <algorithm>

#include "store/codec/delta.h"
#include "store/object/object_hash.h"

namespace assay {

bool kills_git(const Fault& fault) {
  if (fault.id == MessageId::kSizeMismatch) return !fault.causes.empty();
  return !(fault.causes.size() == 1 && fault.causes[0].ends_with(" is empty"));
}

CopyReader::CopyReader(const Storage& storage, std::uint64_t limit)
    : storage_(storage), limit_(limit), loose_reader_(storage.system()) {}

bool CopyReader::is_good(std::uint32_t number, const Object& object) const {
  return name_object(object.type, object.bytes, storage_.kind()).id == storage_.table().id(number);
}

std::optional<CopyReader::Object> CopyReader::read(std::uint32_t number) {
  // Packs may name each other's damaged objects as bases, round and round.
  constexpr std::size_t kDeepest = 64;
  if (under_way_.size() >= kDeepest ||
      std::find(under_way_.begin(), under_way_.end(), number) != under_way_.end()) {
    return std::nullopt;
  }
  under_way_.push_back(number);
  auto object = read_any_copy(number);
  under_way_.pop_back();
  return object;
}

std::optional<CopyReader::Object> CopyReader::read_any_copy(std::uint32_t number) {
  const ObjectId id = storage_.table().id(number);
  for (const StoredPack& pack : storage_.packs()) {
    const auto position = pack.index->find(id.data());
    if (!position) continue;
    const auto entry = entry_of(pack, *position);
    if (!entry) continue;
    auto object = read_packed(pack, *entry);
    if (object && is_good(number, *object)) return object;
  }
  std::optional<Object> result;
  each_loose(id, [&](const StoredFanout& fanout, std::size_t position) {
    auto object = read_loose(fanout, position);
    if (!object || !is_good(number, *object)) return false;
    result = std::move(object);
    return true;
  });
  return result;
}

void CopyReader::each_loose(
    const ObjectId& id, const std::function<bool(const StoredFanout&, std::size_t)>& use) const {
  for (const StoredFanout& fanout : storage_.fanouts()) {
    const auto position = fanout.find(id);
    if (position && use(fanout, *position)) return;
  }
}

std::optional<CopyReader::Object> CopyReader::read_unchecked(std::uint32_t number, bool& dies) {
  const ObjectId id = storage_.table().id(number);
  bool bad_pack = false;
  for (const StoredPack& pack : storage_.packs()) {
    const auto position = pack.index->find(id.data());
    if (!position) continue;
    const auto entry = entry_of(pack, *position);
    auto object = entry ? read_packed(pack, *entry) : std::nullopt;
    if (object) return object;
    bad_pack = true;
  }
  std::optional<Object> result;
  each_loose(id, [&](const StoredFanout& fanout, std::size_t position) {
    result = read_loose_unchecked(fanout, position, dies);
    return result || dies;
  });
  if (!result && bad_pack) dies = true;
  return result;
}

std::optional<CopyReader::Object> CopyReader::read_loose_unchecked(const StoredFanout& fanout,
                                                                   std::size_t position,
                                                                   bool& dies) {
  const auto header = loose_reader_.open(place_of(fanout, position));
  if (!header) {
    dies = kills_git(header.error());
    return std::nullopt;
  }
  Object object;
  object.type = header->type;
  const auto read = loose_reader_.stream([&](ByteView piece) {
    if (object.bytes.size() + piece.size() > limit_) return;
    object.bytes.insert(object.bytes.end(), piece.begin(), piece.end());
  });
  if (!read && kills_git(read.error())) {
    dies = true;
    return std::nullopt;
  }
  return object;
}

std::optional<ObjectType> CopyReader::type_of(std::uint32_t number) {
  const ObjectId id = storage_.table().id(number);
  for (const StoredPack& pack : storage_.packs()) {
    const auto position = pack.index->find(id.data());
    const auto entry = position ? entry_of(pack, *position) : std::nullopt;
    if (entry && pack.forest.type(*entry) != ObjectType::kUnknown) return pack.forest.type(*entry);
  }
  const auto object = read(number);
  if (!object) return std::nullopt;
  return object->type;
}

std::optional<PackPosition> CopyReader::entry_of(const StoredPack& pack,
                                                 IndexPosition position) const {
  const auto offset = pack.index->offset(position);
  return offset ? pack.forest.find(*offset) : std::nullopt;
}

bool CopyReader::inflate_entry(const StoredPack& pack, PackPosition entry, Bytes& bytes) {
  const auto header = pack.pack->entry_header(pack.forest.offset(entry));
  const std::uint64_t begin = pack.forest.offset(entry).value;
  const std::uint64_t end = pack.forest.end(entry).value;
  if (!header || header->header_size > end - begin) return false;
  const std::uint64_t deflated_size = end - begin - header->header_size;
  if (header->inflated_size > limit_ || header->inflated_size > max_inflated_size(deflated_size)) {
    return false;
  }
  bytes.resize(static_cast<std::size_t>(header->inflated_size));
  return inflater_
      .inflate(pack.pack->bytes().subspan(static_cast<std::size_t>(begin + header->header_size),
                                          static_cast<std::size_t>(deflated_size)),
               bytes)
      .has_value();
}

// Patches the base in `bytes`.
bool CopyReader::patch(const StoredPack& pack, PackPosition entry, Bytes& bytes) {
  Bytes program;
  if (!inflate_entry(pack, entry, program)) return false;
  const auto delta = parse_delta(program);
  const std::uint64_t held = bytes.size() + program.size();
  if (!delta || delta->base_size != bytes.size() || held > limit_ ||
      delta->result_size > limit_ - held) {
    return false;
  }
  const auto size = static_cast<std::size_t>(delta->result_size);
  Bytes result(size + kDeltaSlack);
  bytes.resize(bytes.size() + kDeltaSlack);
  const ByteView base(bytes.data(), bytes.size() - kDeltaSlack);
  if (!apply_delta(base, delta->program, {result.data(), size})) return false;
  result.resize(size);
  bytes = std::move(result);
  return true;
}

std::optional<CopyReader::Object> CopyReader::read_packed(const StoredPack& pack,
                                                          PackPosition entry) {
  const auto& cyclic = pack.forest.cyclic();
  if (std::binary_search(cyclic.begin(), cyclic.end(), entry.value)) return std::nullopt;
  // From the entry down to a whole object or to an entry that leads no further.
  std::vector<std::uint32_t> chain{entry.value};
  while (pack.forest.base({chain.back()}) != DeltaForest::kNone) {
    chain.push_back(pack.forest.base({chain.back()}));
  }
  Object object;
  object.type = pack.forest.type(entry);
  std::size_t made = chain.size();  // chain[made] is what `object` holds
  if (object.type != ObjectType::kUnknown && inflate_entry(pack, {chain.back()}, object.bytes)) {
    --made;
  }
  while (made != 0) {
    if (made < chain.size() && patch(pack, {chain[made - 1]}, object.bytes)) {
      --made;
      continue;
    }
    // chain[made - 1] cannot be made here. If it is but a base, any other copy of it will do.
    if (made == 1) return std::nullopt;
    auto base = read(pack.numbers[pack.forest.index_position({chain[made - 1]}).value]);
    if (!base) return std::nullopt;
    object = std::move(*base);
    --made;
  }
  return object;
}

LoosePlace CopyReader::place_of(const StoredFanout& fanout, std::size_t position) const {
  const LooseFile& file = fanout.objects[position];
  LoosePlace place;
  place.path = storage_.directories()[fanout.directory].path + "/" + fanout_name(fanout.fanout) +
               "/" + file.name;
  place.name = place.path;
  place.id = file.id;
  place.follow_symlink = true;
  return place;
}

std::optional<CopyReader::Object> CopyReader::read_loose(const StoredFanout& fanout,
                                                         std::size_t position) {
  auto read = read_loose_object(loose_reader_, place_of(fanout, position), limit_);
  if (!read || !read->content) return std::nullopt;
  return Object{read->type, std::move(*read->content)};
}

}  // namespace assay
