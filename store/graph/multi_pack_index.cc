#include "store/graph/multi_pack_index.h"

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::uint32_t kSignature = chunk_id("MIDX");
constexpr std::size_t kHeaderSize = 12;
constexpr std::size_t kFanoutSize = 256 * 4;
constexpr std::size_t kAlignment = 4;
constexpr std::size_t kOffsetWidth = 8;  // pack and offset
constexpr std::uint32_t kLargeOffset = 0x80000000;

tl::unexpected<Fault> unreadable(std::string text) {
  return fault(MessageId::kMultiPackIndexUnreadable, std::move(text));
}

// Where git dies; `cause` is what it prints before.
tl::unexpected<Fault> fatal(std::string text, std::string cause = "") {
  Fault fault(MessageId::kMultiPackIndexFatal, std::move(text));
  if (!cause.empty()) fault.causes.push_back(std::move(cause));
  return tl::unexpected<Fault>(std::move(fault));
}

}  // namespace

Result<MultiPackIndex> MultiPackIndex::parse(ByteView bytes, HashKind kind, std::string_view path) {
  const std::size_t hash_size = id_size(kind);
  if (bytes.size() < kHeaderSize + hash_size) {
    return unreadable(fmt::format("multi-pack-index file {} is too small", path));
  }
  const std::uint32_t signature = read_be32(bytes.data());
  if (signature != kSignature) {
    return fatal(
        fmt::format("multi-pack-index signature 0x{:08x} does not match signature 0x{:08x}",
                    signature, kSignature));
  }
  const unsigned version = bytes[4];
  if (version != 1 && version != 2) {
    return fatal(fmt::format("multi-pack-index version {} not recognized", version));
  }
  const unsigned hash_version = kind == HashKind::kSha1 ? 1 : 2;
  if (bytes[5] != hash_version) {
    return unreadable(fmt::format("multi-pack-index hash version {} does not match version {}",
                                  bytes[5], hash_version));
  }
  const std::size_t chunk_count = bytes[6];
  const auto chunks = ChunkTable::parse(bytes, {kHeaderSize, chunk_count, kAlignment, hash_size},
                                        MessageId::kMultiPackIndexUnreadable);
  if (!chunks) return tl::unexpected<Fault>(chunks.error());
  MultiPackIndex index;
  index.bytes_ = bytes;
  index.kind_ = kind;
  index.version_ = static_cast<int>(version);
  if (auto read = index.read_required(*chunks, read_be32(bytes.data() + 8)); !read) {
    return tl::unexpected<Fault>(std::move(read.error()));
  }
  index.large_offsets_ = chunks->find(chunk_id("LOFF"));
  index.reverse_index_ = chunks->find(chunk_id("RIDX"));
  index.bitmapped_packs_ = chunks->find(chunk_id("BTMP"));
  return index;
}

Result<void> MultiPackIndex::read_required(const ChunkTable& chunks, std::uint32_t pack_count) {
  const auto names = chunks.find(chunk_id("PNAM"));
  if (!names) return fatal("multi-pack-index required pack-name chunk missing or corrupted");

  const std::string no_fanout = "multi-pack-index required OID fanout chunk missing or corrupted";
  const auto fanout = chunks.find(chunk_id("OIDF"));
  if (!fanout) return fatal(no_fanout);
  if (fanout->size() != kFanoutSize) {
    return fatal(no_fanout, "multi-pack-index OID fanout is of the wrong size");
  }
  fanout_ = fanout->data();
  for (std::size_t i = 0; i < 255; ++i) {
    if (this->fanout(i) > this->fanout(i + 1)) {
      return fatal(no_fanout,
                   fmt::format("oid fanout out of order: fanout[{}] = {:x} > {:x} = fanout[{}]", i,
                               this->fanout(i), this->fanout(i + 1), i + 1));
    }
  }
  count_ = this->fanout(255);

  const std::string no_ids = "multi-pack-index required OID lookup chunk missing or corrupted";
  const auto ids = chunks.find(chunk_id("OIDL"));
  if (!ids) return fatal(no_ids);
  if (ids->size() != std::uint64_t{count_} * id_size(kind_)) {
    return fatal(no_ids, "multi-pack-index OID lookup chunk is the wrong size");
  }
  ids_ = ids->data();

  const std::string no_offsets =
      "multi-pack-index required object offsets chunk missing or corrupted";
  const auto offsets = chunks.find(chunk_id("OOFF"));
  if (!offsets) return fatal(no_offsets);
  if (offsets->size() != std::uint64_t{count_} * kOffsetWidth) {
    return fatal(no_offsets, "multi-pack-index object offset chunk is the wrong size");
  }
  offsets_ = offsets->data();
  return read_pack_names(*names, pack_count);
}

Result<void> MultiPackIndex::read_pack_names(ByteView names, std::uint32_t pack_count) {
  std::string_view rest = as_text(names);
  for (std::uint32_t i = 0; i < pack_count; ++i) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) {
      return fatal("multi-pack-index pack-name chunk is too short");
    }
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (version_ == 1 && i > 0 && name <= pack_names_.back()) {
      return fatal(fmt::format("multi-pack-index pack names out of order: '{}' before '{}'",
                               pack_names_.back(), name));
    }
    pack_names_.push_back(name);
  }
  return {};
}

std::optional<PackOffset> MultiPackIndex::offset(std::uint32_t row) const {
  const std::uint32_t small = read_be32(offsets_ + kOffsetWidth * std::size_t{row} + 4);
  if (!large_offsets_ || (small & kLargeOffset) == 0) return PackOffset{small};
  const std::size_t slot = small ^ kLargeOffset;
  if (slot >= large_offsets_->size() / 8) return std::nullopt;
  return PackOffset{read_be64(large_offsets_->data() + 8 * slot)};
}

}  // namespace assay
