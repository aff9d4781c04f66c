#include "store/graph/multi_pack_index_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay {

MultiPackIndexChainFile parse_multi_pack_index_chain(ByteView bytes, HashKind kind) {
  MultiPackIndexChainFile file;
  const std::size_t hex_size = id_hex_size(kind);
  std::string_view rest = as_text(bytes);
  // As many lines as there is room for: git reads no more.
  for (std::size_t left = bytes.size() / (hex_size + 1); left > 0 && !rest.empty(); --left) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto layer = ObjectId::from_hex(line.substr(0, hex_size), kind);
    if (!layer) {
      file.problems.emplace_back(
          MessageId::kMultiPackIndexDoubtful,
          fmt::format("invalid multi-pack-index chain: line '{}' not a hash", line));
      file.complete = false;
      return file;
    }
    file.layers.push_back(*layer);
  }
  if (!rest.empty()) {
    file.complete = false;
    file.problems.emplace_back(
        MessageId::kMultiPackIndexUntrue,
        fmt::format("multi-pack-index chain ends in the middle of a line: '{}'", rest));
  }
  return file;
}

Result<void> MultiPackIndexChain::add(MultiPackIndex index, const ObjectId& name) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto packs = static_cast<std::uint32_t>(index.pack_names().size());
  const auto refuse = [](std::string text) {
    return fault(MessageId::kMultiPackIndexDoubtful, std::move(text));
  };
  for (const Layer& layer : layers_) {
    if (layer.name == name) {
      return refuse(fmt::format("multi-pack-index chain names layer {} twice", name.hex()));
    }
  }
  if (packs > kMost - pack_count_) {
    return refuse(fmt::format("pack count in base MIDX too high: {}", pack_count_));
  }
  if (index.count() > kMost - count_) {
    return refuse(fmt::format("object count in base MIDX too high: {}", count_));
  }
  const std::uint32_t objects = index.count();
  layers_.push_back({std::move(index), count_, pack_count_, name});
  count_ += objects;
  pack_count_ += packs;
  return {};
}

}  // namespace assay
