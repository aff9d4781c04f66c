#include "store/pack/bitmap.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::uint32_t kSignature = 0x4249544d;  // "BITM"
constexpr unsigned kVersion = 1;
constexpr unsigned kFullDag = 0x1;
constexpr unsigned kHashCache = 0x4;
constexpr unsigned kLookupTable = 0x10;
constexpr unsigned kPseudoMerges = 0x20;
constexpr std::size_t kEntryHeaderSize = 6;
constexpr std::size_t kLookupRowSize = 16;
constexpr std::size_t kPseudoMergeTailSize = 24;
constexpr std::uint32_t kNoRow = 0xffffffff;

tl::unexpected<Fault> bad(std::string text, std::uint64_t offset = Fault::kNoOffset) {
  return fault(MessageId::kBitmapUntrue, std::move(text), offset);
}

}  // namespace

Result<BitmapFile> BitmapFile::parse(ByteView bytes, HashKind kind, const Objects& objects,
                                     const Visit& visit) {
  BitmapFile file;
  file.bytes_ = bytes;
  file.kind_ = kind;
  file.objects_ = objects;
  if (auto read = file.read_header(); !read) return tl::unexpected<Fault>(read.error());
  if (auto read = file.read_bitmaps(visit); !read) return tl::unexpected<Fault>(read.error());
  if (file.lookup_table_) {
    if (auto held = file.check_lookup_table(); !held) return tl::unexpected<Fault>(held.error());
  }
  if (file.pseudo_merges_) {
    if (auto held = file.check_pseudo_merges(); !held) return tl::unexpected<Fault>(held.error());
  }
  return file;
}

bool BitmapFile::take_from_end(std::uint64_t size, ByteView& part) {
  const std::size_t header_size = kFixedHeaderSize + id_size(kind_);
  if (size > rest_.size() - header_size) return false;
  part = rest_.last(static_cast<std::size_t>(size));
  rest_ = rest_.first(rest_.size() - static_cast<std::size_t>(size));
  return true;
}

Result<void> BitmapFile::read_header() {
  const std::size_t hash_size = id_size(kind_);
  if (bytes_.size() < kFixedHeaderSize + 2 * hash_size) {
    return bad("corrupted bitmap index (too small)");
  }
  if (read_be32(bytes_.data()) != kSignature) {
    return bad("corrupted bitmap index file (wrong header)", 0);
  }
  const unsigned version = read_be16(bytes_.data() + 4);
  if (version != kVersion) {
    return bad(fmt::format("unsupported version '{}' for bitmap index file", version), 4);
  }
  const unsigned flags = read_be16(bytes_.data() + 6);
  entry_count_ = read_be32(bytes_.data() + 8);
  if ((flags & kFullDag) == 0) {
    return bad("unsupported options for bitmap index file (the objects must be closed)", 6);
  }
  rest_ = bytes_.first(bytes_.size() - hash_size);
  // From the end backwards, in this order: git finds the parts so.
  ByteView part;
  if ((flags & kHashCache) != 0 && !take_from_end(std::uint64_t{objects_.count} * 4, part)) {
    return bad("corrupted bitmap index file (too short to fit hash cache)");
  }
  if ((flags & kLookupTable) != 0) {
    if (!take_from_end(std::uint64_t{entry_count_} * kLookupRowSize, part)) {
      return bad("corrupted bitmap index file (too short to fit lookup table)");
    }
    lookup_table_ = part;
  }
  if ((flags & kPseudoMerges) != 0) {
    const std::size_t header_size = kFixedHeaderSize + hash_size;
    if (rest_.size() - header_size < kPseudoMergeTailSize) {
      return bad("corrupted bitmap index file (too short to fit pseudo-merge table header)");
    }
    if (!take_from_end(read_be64(rest_.data() + rest_.size() - 8), part)) {
      return bad("corrupted bitmap index file (too short to fit pseudo-merge table)");
    }
    pseudo_merges_ = part;
  }
  return {};
}

Result<EwahBitmap> BitmapFile::read_ewah(ByteReader& reader, std::uint64_t base) const {
  const std::uint64_t offset = base + reader.offset();
  auto bitmap = EwahBitmap::parse(reader);
  if (!bitmap) return bad(fmt::format("corrupt ewah bitmap at offset {}", offset), offset);
  if (!bitmap->knows_last_marker()) {
    return bad(
        fmt::format("corrupt ewah bitmap at offset {}: its last marker is elsewhere", offset),
        offset);
  }
  if (bitmap->end() > objects_.total) {
    return bad(fmt::format("corrupt ewah bitmap at offset {}: bit {} of {}", offset,
                           bitmap->end() - 1, objects_.total),
               offset);
  }
  return std::move(*bitmap);
}

Result<void> BitmapFile::read_bitmaps(const Visit& visit) {
  ByteReader reader(rest_);
  reader.take(kFixedHeaderSize + id_size(kind_));
  for (EwahBitmap& type : types_) {
    auto bitmap = read_ewah(reader, 0);
    if (!bitmap) return tl::unexpected<Fault>(std::move(bitmap.error()));
    type = std::move(*bitmap);
  }
  std::vector<std::uint32_t> commits;
  for (std::uint32_t i = 0; i < entry_count_; ++i) {
    Entry entry;
    entry.offset = reader.offset();
    if (reader.remaining() < kEntryHeaderSize) {
      return bad(fmt::format("corrupt ewah bitmap: truncated header for entry {}", i),
                 entry.offset);
    }
    entry.commit.value = *reader.be32();
    entry.xor_offset = *reader.u8();
    entry.flags = *reader.u8();
    if (entry.commit.value >= objects_.total) {
      return bad(
          fmt::format("corrupt ewah bitmap: commit index {} out of range", entry.commit.value),
          entry.offset);
    }
    if (entry.xor_offset > kMostXorOffset || entry.xor_offset > i) {
      return bad(fmt::format("corrupted bitmap pack index: entry {} is combined with the one {} "
                             "before",
                             i, entry.xor_offset),
                 entry.offset);
    }
    const auto bitmap = read_ewah(reader, 0);
    if (!bitmap) return tl::unexpected<Fault>(bitmap.error());
    if (visit) visit(entry, *bitmap);
    commits.push_back(entry.commit.value);
    entries_.push_back(entry);
  }
  std::sort(commits.begin(), commits.end());
  const auto twice = std::adjacent_find(commits.begin(), commits.end());
  if (twice != commits.end()) {
    return bad(fmt::format("duplicate entry in bitmap index: object {}", *twice));
  }
  return {};
}

// Rows are sorted by commit; each names where its entry lies and the row it is combined with.
Result<void> BitmapFile::check_lookup_table() const {
  const auto row_bytes = [&](std::size_t row) {
    return lookup_table_->data() + row * kLookupRowSize;
  };
  std::vector<std::size_t> entry_of(entries_.size());
  std::vector<std::uint32_t> row_of(entries_.size(), kNoRow);
  for (std::uint32_t row = 0; row < entries_.size(); ++row) {
    const std::uint32_t commit = read_be32(row_bytes(row));
    const std::uint64_t offset = read_be64(row_bytes(row) + 4);
    const auto found = std::lower_bound(
        entries_.begin(), entries_.end(), offset,
        [](const Entry& entry, std::uint64_t wanted) { return entry.offset < wanted; });
    const bool sorted = row == 0 || read_be32(row_bytes(row - 1)) < commit;
    if (!sorted || found == entries_.end() || found->offset != offset ||
        found->commit.value != commit) {
      return bad(fmt::format("corrupt bitmap lookup table: row {} names commit {} at offset {}",
                             row, commit, offset));
    }
    entry_of[row] = static_cast<std::size_t>(found - entries_.begin());
    row_of[entry_of[row]] = row;
  }
  for (std::uint32_t row = 0; row < entries_.size(); ++row) {
    const std::uint32_t said = read_be32(row_bytes(row) + 12);
    const std::size_t entry = entry_of[row];
    const std::uint32_t distance = entries_[entry].xor_offset;
    const std::uint32_t expected = distance == 0 ? kNoRow : row_of[entry - distance];
    if (said != expected) {
      return bad(fmt::format("corrupt bitmap lookup table: row {} is combined with row {}, not {}",
                             row, said, expected));
    }
  }
  return {};
}

// At the end: positions of all pseudo-merges, 4 bytes their number, 4 bytes the number of commits,
// 8 bytes where the table of commits begins (from the start of this part), 8 bytes its size.
Result<void> BitmapFile::check_pseudo_merges() const {
  const ByteView part = *pseudo_merges_;
  const auto too_short = [&] {
    return bad("corrupted bitmap index file, pseudo-merge table too short");
  };
  if (part.size() < kPseudoMergeTailSize) return too_short();
  const std::uint8_t* tail = part.data() + part.size() - kPseudoMergeTailSize;
  const std::uint64_t count = read_be32(tail);
  const std::uint64_t commits = read_be32(tail + 4);
  const std::uint64_t table = read_be64(tail + 8);
  const std::uint64_t room = part.size() - kPseudoMergeTailSize;
  if (count * 8 > room) return too_short();
  const std::uint64_t positions = room - count * 8;
  if (table > positions || commits * 12 > positions - table) return too_short();
  // The bitmaps of each lie where those before end; so many positions cannot share one bitmap.
  const auto begin = static_cast<std::uint64_t>(part.data() - bytes_.data());
  ByteReader reader(part.first(static_cast<std::size_t>(table)));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = read_be64(part.data() + positions + 8 * i);
    if (offset != begin + reader.offset()) {
      return bad(fmt::format("corrupt pseudo-merge {}: it lies at offset {}", i, offset));
    }
    for (int which = 0; which < 2; ++which) {
      if (auto bitmap = read_ewah(reader, begin); !bitmap) {
        return tl::unexpected<Fault>(std::move(bitmap.error()));
      }
    }
  }
  return {};
}

}  // namespace assay
