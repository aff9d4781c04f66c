#include "store/pack/pack_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "store/codec/delta.h"

namespace assay {
namespace {

constexpr std::size_t kPieceSize = std::size_t{64} << 10;
constexpr std::size_t kCacheSize = std::size_t{32} << 20;
// Two sizes of at most ten bytes each begin a delta.
constexpr std::size_t kDeltaHeaderSize = 20;

ByteView deflated_bytes(const PackFile& pack, PackOffset offset, const EntryHeader& header) {
  // Where the entry ends is known only by inflating it.
  const std::uint64_t begin = offset.value + header.header_size;
  return pack.bytes().subspan(static_cast<std::size_t>(begin),
                              static_cast<std::size_t>(pack.end_of_entries() - begin));
}

tl::unexpected<Fault> unpackable(const PackFile& pack, PackOffset offset, std::string cause) {
  Fault result(MessageId::kEntryUnpackable,
               fmt::format("cannot unpack the entry at offset {} of {}", offset.value, pack.path()),
               offset.value);
  result.causes.push_back(std::move(cause));
  return tl::unexpected(std::move(result));
}

tl::unexpected<Fault> too_large(const PackFile& pack, PackOffset offset, std::uint64_t size) {
  return fault(MessageId::kObjectTooLarge,
               fmt::format("the object at offset {} of {} is too large to be held: {} bytes",
                           offset.value, pack.path(), size),
               offset.value);
}

}  // namespace

PackReader::PackReader() : cache_(kCacheSize) {}

Result<PackOffset> PackReader::base_of(const PackFile& pack, const PackIndex& index,
                                       const Link& link) const {
  if (link.header.kind == EntryKind::kOffsetDelta) return link.header.base_offset;
  const auto position = index.find(link.header.base_id);
  const auto offset = position ? index.offset(*position) : std::nullopt;
  if (!offset) {
    return fault(MessageId::kDeltaBaseBad,
                 fmt::format("failed to validate delta base reference at offset {} from {}",
                             link.offset.value, pack.path()),
                 link.offset.value);
  }
  return *offset;
}

Result<PackReader::Chain> PackReader::chain_of(const PackFile& pack, const PackIndex& index,
                                               PackOffset offset, bool use_cache) {
  Chain chain;
  std::unordered_set<std::uint64_t> seen;
  for (;;) {
    if (use_cache && (chain.base = cache_.find(&pack, offset))) return chain;
    const auto header = pack.entry_header(offset);
    if (!header) return tl::unexpected(header.error());
    chain.links.push_back({offset, *header});
    if (!is_delta(header->kind)) return chain;
    // A base given by offset lies before its delta, so every cycle leads through a base given by
    // id: it is enough to remember those.
    if (header->kind == EntryKind::kRefDelta && !seen.insert(offset.value).second) {
      return fault(MessageId::kDeltaCycle,
                   fmt::format("delta chain at offset {} of {} leads back to itself",
                               chain.links.front().offset.value, pack.path()),
                   chain.links.front().offset.value);
    }
    const auto base = base_of(pack, index, chain.links.back());
    if (!base) return tl::unexpected(base.error());
    offset = *base;
  }
}

Result<void> PackReader::inflate(const PackFile& pack, const Link& link, std::uint64_t limit,
                                 Bytes& out) {
  const std::uint64_t size = link.header.inflated_size;
  const ByteView deflated = deflated_bytes(pack, link.offset, link.header);
  if (size > max_inflated_size(deflated.size())) {
    return unpackable(pack, link.offset, "inflate: stream is shorter than declared");
  }
  if (size > limit) return too_large(pack, link.offset, size);
  out.resize(static_cast<std::size_t>(size));
  const auto used = inflater_.inflate(deflated, out);
  if (!used) return unpackable(pack, link.offset, used.error().text);
  return {};
}

Result<std::uint64_t> PackReader::delta_result_size(const PackFile& pack, const Link& link) {
  std::array<std::uint8_t, kDeltaHeaderSize> buffer;
  windows_.reset();
  const ZlibStep step = windows_.run(deflated_bytes(pack, link.offset, link.header), buffer);
  if (step.state == ZlibState::kError) {
    return unpackable(pack, link.offset, "inflate: " + windows_.error_text());
  }
  const auto delta = parse_delta(ByteView(buffer).first(step.produced));
  if (!delta) return unpackable(pack, link.offset, "delta is too short");
  return delta->result_size;
}

Result<PackedInfo> PackReader::info(const PackFile& pack, const PackIndex& index,
                                    PackOffset offset) {
  const auto chain = chain_of(pack, index, offset, false);
  if (!chain) return tl::unexpected(chain.error());
  const std::vector<Link>& links = chain->links;
  PackedInfo info;
  info.type = static_cast<ObjectType>(links.back().header.kind);
  info.size = links.front().header.inflated_size;
  if (links.size() > 1) {
    const auto size = delta_result_size(pack, links.front());
    if (!size) return tl::unexpected(size.error());
    info.size = *size;
    info.is_delta = true;
    info.base_offset = links[1].offset;
  }
  return info;
}

Result<PackedObject> PackReader::read(const PackFile& pack, const PackIndex& index,
                                      PackOffset offset, std::uint64_t limit) {
  auto chain = chain_of(pack, index, offset, true);
  if (!chain) return tl::unexpected(chain.error());
  std::shared_ptr<const CachedBase> object = std::move(chain->base);
  if (object != nullptr && object->size > limit) return too_large(pack, offset, object->size);
  std::vector<Link>& links = chain->links;
  if (object == nullptr) {
    auto whole = std::make_shared<CachedBase>();
    whole->type = static_cast<ObjectType>(links.back().header.kind);
    if (auto inflated = inflate(pack, links.back(), limit, whole->bytes); !inflated) {
      return tl::unexpected(inflated.error());
    }
    whole->size = whole->bytes.size();
    whole->bytes.resize(whole->size + kDeltaSlack);
    object = std::move(whole);
    if (links.size() > 1) cache_.add(&pack, links.back().offset, object);
    links.pop_back();
  }
  for (; !links.empty(); links.pop_back()) {
    auto result = apply(pack, links.back(), *object, limit);
    if (!result) return tl::unexpected(result.error());
    object = std::move(*result);
    // The object asked for may never be a base; it is made again if it is.
    if (links.size() > 1) cache_.add(&pack, links.back().offset, object);
  }
  const ByteView content = ByteView(object->bytes).first(object->size);
  return PackedObject{object->type, Bytes(content.begin(), content.end())};
}

Result<std::shared_ptr<const CachedBase>> PackReader::apply(const PackFile& pack, const Link& link,
                                                            const CachedBase& base,
                                                            std::uint64_t limit) {
  if (auto inflated = inflate(pack, link, limit, delta_); !inflated) {
    return tl::unexpected(inflated.error());
  }
  const auto delta = parse_delta(delta_);
  if (!delta || !is_sound(*delta, base.size)) {
    return unpackable(pack, link.offset, "failed to apply delta");
  }
  if (delta->result_size > limit) return too_large(pack, link.offset, delta->result_size);
  auto result = std::make_shared<CachedBase>();
  result->type = base.type;
  result->size = static_cast<std::size_t>(delta->result_size);
  result->bytes.resize(result->size + kDeltaSlack);
  if (!apply_delta(ByteView(base.bytes).first(base.size), delta->program,
                   std::span(result->bytes).first(result->size))) {
    return unpackable(pack, link.offset, "failed to apply delta");
  }
  return result;
}

Result<void> PackReader::stream(const PackFile& pack, PackOffset offset, const Consumer& consume) {
  const auto header = pack.entry_header(offset);
  if (!header) return tl::unexpected(header.error());
  Bytes window(kPieceSize);
  const auto used = inflate_in_pieces(windows_, deflated_bytes(pack, offset, *header),
                                      header->inflated_size, window, consume);
  if (!used) return unpackable(pack, offset, used.error().text);
  return {};
}

}  // namespace assay
