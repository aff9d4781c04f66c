// PackBuilder: packs and their indexes, made entry by entry. Every field of every entry may be made
// to lie; checksums are right all the same, and can be made right again (reseal_*) after single
// bytes of a finished file were changed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "tests/support/temporary_directory.h"

namespace assay::testing {

// Writes a delta: sizes first, then instructions.
class DeltaWriter {
 public:
  DeltaWriter(std::uint64_t base_size, std::uint64_t result_size);
  // Requires: size <= 0xffffff, or 0 for 64 KiB.
  DeltaWriter& copy(std::uint32_t offset, std::uint32_t size);
  DeltaWriter& insert(ByteView bytes);
  DeltaWriter& raw(std::uint8_t byte);
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// A delta that keeps the common start and the common end.
Bytes delta_between(ByteView base, ByteView result);
Bytes zlib_stream(ByteView content, int level = 1);

struct PackEntry {
  ObjectType type = ObjectType::kBlob;  // of the object
  Bytes content;                        // the object, as it should come out
  ObjectId id;                          // of the content; the index names it so
  unsigned kind = 3;                    // type bits of the header: 1-4, 6 (offset), 7 (id)
  Bytes payload;                        // what is deflated: the object, or the delta
  std::optional<std::uint64_t> declared_size;
  std::optional<std::size_t> base;        // number of the entry that a delta was made against
  std::optional<std::uint64_t> distance;  // instead of that to `base`
  std::optional<ObjectId> base_id;        // instead of that of `base`
  int level = 1;
  std::optional<Bytes> stream;  // instead of the payload deflated
  Bytes gap;                    // bytes between the stream and the next entry
  bool indexed = true;
  std::optional<std::uint64_t> index_offset;
  std::optional<std::uint32_t> index_crc;
};

struct BuiltPack {
  Bytes pack;
  Bytes index;
  std::vector<std::uint64_t> offsets;  // of the entries, in the order they were added

  // Writes NAME.pack and NAME.idx.
  void write(const TemporaryDirectory& directory, std::string_view name) const;
};

class PackBuilder {
 public:
  explicit PackBuilder(HashKind kind = HashKind::kSha1) : kind_(kind) {}

  // Each returns the number of the new entry.
  std::size_t add(ObjectType type, ByteView content);
  std::size_t add_blob(std::string_view content) {
    return add(ObjectType::kBlob, as_bytes(content));
  }
  // A delta against an entry that was added before.
  std::size_t add_offset_delta(std::size_t base, ByteView content);
  std::size_t add_offset_delta(std::size_t base, ByteView content, Bytes delta);
  // A delta against an entry by its id.
  std::size_t add_ref_delta(std::size_t base, ByteView content);
  // The same when the base is not there (yet).
  std::size_t add_ref_delta(const ObjectId& base_id, ObjectType type, ByteView base_content,
                            ByteView content);

  PackEntry& entry(std::size_t number) { return entries_[number]; }
  const PackEntry& entry(std::size_t number) const { return entries_[number]; }
  std::size_t size() const { return entries_.size(); }

  std::uint32_t pack_version = 2;
  std::optional<std::uint32_t> declared_count;
  int index_version = 2;
  // Offsets from here on are written with 64 bits (version 2).
  std::uint64_t large_offsets_from = std::uint64_t{1} << 31;

  BuiltPack build() const;

 private:
  std::size_t add_entry(ObjectType type, ByteView content, unsigned kind, Bytes payload);
  void append_header(Bytes& pack, const PackEntry& entry,
                     const std::vector<std::uint64_t>& offsets) const;
  Bytes build_index(const std::vector<std::uint64_t>& offsets,
                    const std::vector<std::uint32_t>& crcs, ByteView pack_checksum) const;

  HashKind kind_;
  std::vector<PackEntry> entries_;
};

// Make the checksums right again. An index also takes over the trailer of the pack.
void reseal_pack(Bytes& pack, HashKind kind = HashKind::kSha1);
void reseal_index(Bytes& index, ByteView pack, HashKind kind = HashKind::kSha1);

}  // namespace assay::testing
