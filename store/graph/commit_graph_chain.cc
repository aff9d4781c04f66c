#include "store/graph/commit_graph_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay {

Result<void> CommitGraphChain::add(CommitGraph graph, const ObjectId& name) {
  const auto refuse = [](std::string text) {
    return fault(MessageId::kCommitGraphDoubtful, std::move(text));
  };
  if (!layers_.empty() && !graph.has_base_graphs()) {
    return refuse("commit-graph has no base graphs chunk");
  }
  if (graph.base_graph_count() < layers_.size()) {
    return refuse("commit-graph base graphs chunk is too small");
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    // A layer on top of itself: it takes a file that names its own checksum, and no honest one can.
    if (layers_[i].name == name) return refuse("commit-graph chain does not match");
    const ObjectId& below = layers_[i].name;
    if (layers_[i].graph.checksum() != below || graph.base_graph(i) != below) {
      return refuse("commit-graph chain does not match");
    }
  }
  if (graph.count() > std::numeric_limits<std::uint32_t>::max() - count_) {
    return refuse(fmt::format("commit count in base graph too high: {}", count_));
  }
  const std::uint32_t size = graph.count();
  layers_.push_back({std::move(graph), count_, name});
  count_ += size;
  return {};
}

CommitGraphChain::Place CommitGraphChain::find(GraphPosition position) const {
  // Chains are a handful of layers long; most parents lie in low ones.
  const auto above = std::upper_bound(
      layers_.begin(), layers_.end(), position.value,
      [](std::uint32_t wanted, const Layer& layer) { return wanted < layer.first_position; });
  const auto layer = static_cast<std::size_t>(above - layers_.begin()) - 1;
  return {layer, position.value - layers_[layer].first_position};
}

bool CommitGraphChain::uses_corrected_dates() const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [](const Layer& layer) { return layer.graph.has_generation_data(); });
}

std::vector<Fault> CommitGraphChain::bloom_problems() const {
  std::vector<Fault> problems;
  std::optional<CommitGraph::BloomSettings> uppermost;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const auto& settings = layers_[i].graph.bloom_settings();
    if (!settings) continue;
    if (!uppermost) uppermost = settings;
    if (*settings == *uppermost) continue;
    problems.emplace_back(MessageId::kCommitGraphDoubtful,
                          fmt::format("disabling Bloom filters for commit-graph layer '{}' due to "
                                      "incompatible settings",
                                      layers_[i].graph.checksum().hex()));
  }
  return problems;
}

}  // namespace assay
