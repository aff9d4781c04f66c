#include "store/graph/multi_pack_index_chain.h"

#include <fmt/format.h>

#include <limits>

namespace assay {

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
