#include "store/pack/pack_index.h"

#include <fmt/format.h>

#include "store/codec/find_id.h"

namespace assay {
namespace {

constexpr std::uint32_t kSignature = 0xff744f63;  // "\377tOc": starts every version after 1
constexpr std::size_t kFanoutSize = 256 * 4;

}  // namespace

Result<PackIndex> PackIndex::parse(ByteView bytes, HashKind kind, std::string_view path) {
  const std::size_t hash_size = id_size(kind);
  const auto bad = [&](std::string text) {
    return fault(MessageId::kPackIndexBad, std::move(text));
  };
  if (bytes.size() < kFanoutSize + 2 * hash_size) {
    return bad(fmt::format("index file {} is too small", path));
  }
  PackIndex index;
  index.bytes_ = bytes;
  index.kind_ = kind;
  std::size_t header_size = 0;
  if (read_be32(bytes.data()) == kSignature) {
    const std::uint32_t version = read_be32(bytes.data() + 4);
    if (version != 2) {
      return bad(fmt::format(
          "index file {} is version {} and is not supported by this binary (try upgrading GIT to "
          "a newer version)",
          path, version));
    }
    header_size = 8;
  } else {
    index.version_ = 1;
  }
  if (bytes.size() < header_size + kFanoutSize + 2 * hash_size) {
    return bad(fmt::format("index file {} is too small", path));
  }
  index.fanout_ = bytes.data() + header_size;
  for (std::size_t i = 1; i < 256; ++i) {
    if (index.fanout(i) < index.fanout(i - 1))
      return bad(fmt::format("non-monotonic index {}", path));
  }
  const std::uint64_t count = index.fanout(255);
  index.count_ = static_cast<std::uint32_t>(count);
  const std::uint64_t size = bytes.size();
  const std::uint64_t fixed = header_size + kFanoutSize + 2 * hash_size;
  const std::uint8_t* table = index.fanout_ + kFanoutSize;
  if (index.version_ == 1) {
    if (size != fixed + count * (hash_size + 4)) {
      return bad(fmt::format("wrong index v1 file size in {}", path));
    }
    index.offsets_ = table;
    index.ids_ = table + 4;
    index.id_stride_ = hash_size + 4;
    return index;
  }
  const std::uint64_t smallest = fixed + count * (hash_size + 4 + 4);
  const std::uint64_t largest = smallest + (count == 0 ? 0 : (count - 1) * 8);
  if (size < smallest || size > largest) {
    return bad(fmt::format("wrong index v2 file size in {}", path));
  }
  index.ids_ = table;
  index.id_stride_ = hash_size;
  index.crcs_ = table + count * hash_size;
  index.offsets_ = index.crcs_ + count * 4;
  index.large_offsets_ = {index.offsets_ + count * 4, static_cast<std::size_t>(size - smallest)};
  return index;
}

std::optional<PackOffset> PackIndex::offset(IndexPosition position) const {
  const std::size_t i = position.value;
  if (version_ == 1) return PackOffset{read_be32(offsets_ + i * id_stride_)};
  const std::uint32_t small = read_be32(offsets_ + i * 4);
  if ((small & 0x80000000u) == 0) return PackOffset{small};
  const std::uint64_t slot = std::uint64_t{small & 0x7fffffffu} * 8;
  if (slot + 8 > large_offsets_.size()) return std::nullopt;
  return PackOffset{read_be64(large_offsets_.data() + slot)};
}

std::optional<IndexPosition> PackIndex::find(const std::uint8_t* raw_id) const {
  const auto row = find_id(fanout_, ids_, id_stride_, id_size(kind_), raw_id);
  return row ? std::optional(IndexPosition{*row}) : std::nullopt;
}

std::pair<std::uint32_t, std::uint32_t> PackIndex::find_prefix(std::string_view prefix) const {
  if (prefix.size() > id_hex_size(kind_)) return {0, 0};
  // Lowest and highest id that begin so; the bounds are found by halving.
  std::string low_hex(prefix);
  std::string high_hex(prefix);
  low_hex.resize(id_hex_size(kind_), '0');
  high_hex.resize(id_hex_size(kind_), 'f');
  const auto low = ObjectId::from_hex(low_hex, kind_);
  const auto high = ObjectId::from_hex(high_hex, kind_);
  if (!low || !high) return {0, 0};
  const auto bound = [&](const ObjectId& wanted, bool upper) {
    std::uint32_t first = 0;
    std::uint32_t last = count_;
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      const int order = std::memcmp(raw_id({middle}), wanted.data(), id_size(kind_));
      if (order < 0 || (upper && order == 0)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  };
  return {bound(*low, false), bound(*high, true)};
}

std::optional<IndexPosition> PackIndex::first_out_of_order() const {
  std::uint32_t position = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (; position < fanout(byte); ++position) {
      const std::uint8_t* id = raw_id({position});
      if (id[0] != byte) return IndexPosition{position};
      if (position > 0 && std::memcmp(raw_id({position - 1}), id, id_size(kind_)) > 0) {
        return IndexPosition{position};
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay
