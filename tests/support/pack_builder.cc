#include "tests/support/pack_builder.h"

#include <zlib.h>

#include <algorithm>

#include "store/object/object_hash.h"

namespace assay::testing {
namespace {

void put32(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void put64(Bytes& out, std::uint64_t value) {
  put32(out, static_cast<std::uint32_t>(value >> 32));
  put32(out, static_cast<std::uint32_t>(value));
}

void append(Bytes& out, ByteView bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

// Little-endian groups of seven bits.
void put_size(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

ObjectId checksum_of(ByteView bytes, HashKind kind) {
  ObjectHasher hasher(kind);
  hasher.update(bytes);
  return hasher.finish().id;
}

}  // namespace

DeltaWriter::DeltaWriter(std::uint64_t base_size, std::uint64_t result_size) {
  put_size(bytes_, base_size);
  put_size(bytes_, result_size);
}

DeltaWriter& DeltaWriter::copy(std::uint32_t offset, std::uint32_t size) {
  const std::size_t code_at = bytes_.size();
  bytes_.push_back(0x80);
  const auto operand = [&](std::uint32_t byte, int bit) {
    if ((byte & 0xff) == 0) return;
    bytes_[code_at] = static_cast<std::uint8_t>(bytes_[code_at] | 1 << bit);
    bytes_.push_back(static_cast<std::uint8_t>(byte));
  };
  for (int i = 0; i < 4; ++i) operand(offset >> (8 * i), i);
  for (int i = 0; i < 3; ++i) operand(size >> (8 * i), 4 + i);
  return *this;
}

DeltaWriter& DeltaWriter::insert(ByteView bytes) {
  while (!bytes.empty()) {
    const ByteView piece = bytes.first(std::min<std::size_t>(127, bytes.size()));
    bytes_.push_back(static_cast<std::uint8_t>(piece.size()));
    append(bytes_, piece);
    bytes = bytes.subspan(piece.size());
  }
  return *this;
}

DeltaWriter& DeltaWriter::raw(std::uint8_t byte) {
  bytes_.push_back(byte);
  return *this;
}

Bytes delta_between(ByteView base, ByteView result) {
  const std::size_t shorter = std::min(base.size(), result.size());
  std::size_t start = 0;
  while (start < shorter && base[start] == result[start]) ++start;
  std::size_t end = 0;
  while (end < shorter - start && base[base.size() - 1 - end] == result[result.size() - 1 - end]) {
    ++end;
  }
  DeltaWriter delta(base.size(), result.size());
  const auto copy = [&](std::size_t offset, std::size_t size) {
    constexpr std::size_t kMost = 0xffff;
    for (; size != 0; size -= std::min(size, kMost), offset += kMost) {
      delta.copy(static_cast<std::uint32_t>(offset),
                 static_cast<std::uint32_t>(std::min(size, kMost)));
    }
  };
  copy(0, start);
  delta.insert(result.subspan(start, result.size() - start - end));
  copy(base.size() - end, end);
  return delta.bytes();
}

Bytes zlib_stream(ByteView content, int level) {
  uLongf size = compressBound(static_cast<uLong>(content.size()));
  Bytes out(size);
  const int status =
      compress2(out.data(), &size, content.data(), static_cast<uLong>(content.size()), level);
  EXPECT_EQ(Z_OK, status);
  out.resize(size);
  return out;
}

void BuiltPack::write(const TemporaryDirectory& directory, std::string_view name) const {
  directory.write(std::string(name) + ".pack", as_text(pack));
  directory.write(std::string(name) + ".idx", as_text(index));
}

std::size_t PackBuilder::add_entry(ObjectType type, ByteView content, unsigned kind,
                                   Bytes payload) {
  PackEntry entry;
  entry.type = type;
  entry.content.assign(content.begin(), content.end());
  entry.id = name_object(type, content, kind_).id;
  entry.kind = kind;
  entry.payload = std::move(payload);
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

std::size_t PackBuilder::add(ObjectType type, ByteView content) {
  return add_entry(type, content, static_cast<unsigned>(type),
                   Bytes(content.begin(), content.end()));
}

std::size_t PackBuilder::add_offset_delta(std::size_t base, ByteView content) {
  return add_offset_delta(base, content, delta_between(entries_[base].content, content));
}

std::size_t PackBuilder::add_offset_delta(std::size_t base, ByteView content, Bytes delta) {
  const std::size_t number = add_entry(entries_[base].type, content, 6, std::move(delta));
  entries_[number].base = base;
  return number;
}

std::size_t PackBuilder::add_ref_delta(std::size_t base, ByteView content) {
  const PackEntry from = entries_[base];
  return add_ref_delta(from.id, from.type, from.content, content);
}

std::size_t PackBuilder::add_ref_delta(const ObjectId& base_id, ObjectType type,
                                       ByteView base_content, ByteView content) {
  const std::size_t number = add_entry(type, content, 7, delta_between(base_content, content));
  entries_[number].base_id = base_id;
  return number;
}

void PackBuilder::append_header(Bytes& pack, const PackEntry& entry,
                                const std::vector<std::uint64_t>& offsets) const {
  std::uint64_t size = entry.declared_size.value_or(entry.payload.size());
  std::uint64_t byte = std::uint64_t{entry.kind} << 4 | (size & 15);
  for (size >>= 4; size != 0; size >>= 7) {
    pack.push_back(static_cast<std::uint8_t>(byte | 0x80));
    byte = size & 0x7f;
  }
  pack.push_back(static_cast<std::uint8_t>(byte));
  if (entry.kind == 6) {
    std::uint64_t distance = entry.distance.value_or(
        entry.base ? offsets.back() - offsets[*entry.base] : std::uint64_t{0});
    // Big-endian groups, each further one counts one more.
    Bytes groups{static_cast<std::uint8_t>(distance & 0x7f)};
    for (distance >>= 7; distance != 0; distance >>= 7) {
      --distance;
      groups.insert(groups.begin(), static_cast<std::uint8_t>(0x80 | (distance & 0x7f)));
    }
    append(pack, groups);
  } else if (entry.kind == 7) {
    append(pack, entry.base_id.value_or(ObjectId::null(kind_)).bytes());
  }
}

BuiltPack PackBuilder::build() const {
  BuiltPack built;
  Bytes& pack = built.pack;
  append(pack, as_bytes("PACK"));
  put32(pack, pack_version);
  put32(pack, declared_count.value_or(static_cast<std::uint32_t>(
                  std::count_if(entries_.begin(), entries_.end(),
                                [](const PackEntry& entry) { return entry.indexed; }))));
  std::vector<std::uint32_t> crcs;
  for (const PackEntry& entry : entries_) {
    const std::size_t begin = pack.size();
    built.offsets.push_back(begin);
    append_header(pack, entry, built.offsets);
    append(pack, entry.stream ? *entry.stream : zlib_stream(entry.payload, entry.level));
    append(pack, entry.gap);
    crcs.push_back(static_cast<std::uint32_t>(
        ::crc32(0, pack.data() + begin, static_cast<uInt>(pack.size() - begin))));
  }
  append(pack, checksum_of(pack, kind_).bytes());
  built.index = build_index(built.offsets, crcs, ByteView(pack).last(id_size(kind_)));
  return built;
}

Bytes PackBuilder::build_index(const std::vector<std::uint64_t>& offsets,
                               const std::vector<std::uint32_t>& crcs,
                               ByteView pack_checksum) const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].indexed) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return entries_[a].id < entries_[b].id; });
  const auto offset_of = [&](std::size_t row) {
    return entries_[row].index_offset.value_or(offsets[row]);
  };
  Bytes index;
  if (index_version == 2) {
    put32(index, 0xff744f63);
    put32(index, 2);
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    put32(index,
          static_cast<std::uint32_t>(std::count_if(rows.begin(), rows.end(), [&](std::size_t row) {
            return entries_[row].id.data()[0] <= byte;
          })));
  }
  if (index_version == 1) {
    for (const std::size_t row : rows) {
      put32(index, static_cast<std::uint32_t>(offset_of(row)));
      append(index, entries_[row].id.bytes());
    }
  } else {
    for (const std::size_t row : rows) append(index, entries_[row].id.bytes());
    for (const std::size_t row : rows) put32(index, entries_[row].index_crc.value_or(crcs[row]));
    std::vector<std::uint64_t> large;
    for (const std::size_t row : rows) {
      if (offset_of(row) < large_offsets_from) {
        put32(index, static_cast<std::uint32_t>(offset_of(row)));
        continue;
      }
      put32(index, 0x80000000u | static_cast<std::uint32_t>(large.size()));
      large.push_back(offset_of(row));
    }
    for (const std::uint64_t offset : large) put64(index, offset);
  }
  append(index, pack_checksum);
  append(index, checksum_of(index, kind_).bytes());
  return index;
}

void reseal_pack(Bytes& pack, HashKind kind) {
  pack.resize(pack.size() - id_size(kind));
  append(pack, checksum_of(pack, kind).bytes());
}

void reseal_index(Bytes& index, ByteView pack, HashKind kind) {
  index.resize(index.size() - 2 * id_size(kind));
  append(index, pack.last(id_size(kind)));
  append(index, checksum_of(index, kind).bytes());
}

}  // namespace assay::testing
