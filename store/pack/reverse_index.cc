#include "store/pack/reverse_index.h"

#include <fmt/format.h>

#include <bit>

namespace assay {
namespace {

constexpr std::uint32_t kSignature = 0x52494458;  // "RIDX"
constexpr std::uint32_t kVersion = 1;

}  // namespace

Result<ReverseIndex> ReverseIndex::parse(ByteView bytes, HashKind kind, std::uint32_t count,
                                         std::string_view path) {
  const auto bad = [&](std::string_view what) {
    return fault(MessageId::kReverseIndexBad, fmt::format("reverse-index file {} {}", path, what));
  };
  const std::uint64_t smallest = kHeaderSize + 2 * id_size(kind);
  if (bytes.size() < smallest) return bad("is too small");
  if (bytes.size() - smallest != std::uint64_t{count} * 4) return bad("is corrupt");
  const std::uint32_t version = read_be32(bytes.data() + 4);
  const std::uint32_t hash_id = read_be32(bytes.data() + 8);
  if (read_be32(bytes.data()) != kSignature) return bad("has unknown signature");
  if (version != kVersion) return bad(fmt::format("has unsupported version {}", version));
  if (hash_id != 1 && hash_id != 2) {
    return bad(fmt::format("has unsupported hash id {}", hash_id));
  }
  ReverseIndex index;
  index.bytes_ = bytes;
  index.kind_ = kind;
  index.count_ = count;
  return index;
}

std::optional<PackPosition> ReverseIndex::first_difference(std::span<const std::uint32_t> expected,
                                                           PackPosition begin) const {
  // Whole blocks first, without a branch inside: the compiler makes vectors of them.
  constexpr std::size_t kBlock = 64;
  const std::uint8_t* words = bytes_.data() + kHeaderSize;
  std::size_t i = begin.value;
  const auto differs = [&](std::size_t position) {
    std::uint32_t word;
    std::memcpy(&word, words + position * 4, 4);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
    return word ^ expected[position];
  };
  for (; i + kBlock <= count_; i += kBlock) {
    std::uint32_t difference = 0;
    for (std::size_t k = 0; k < kBlock; ++k) difference |= differs(i + k);
    if (difference != 0) break;
  }
  for (; i < count_; ++i) {
    if (differs(i) != 0) return PackPosition{static_cast<std::uint32_t>(i)};
  }
  return std::nullopt;
}

}  // namespace assay
