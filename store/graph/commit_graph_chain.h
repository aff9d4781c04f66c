// CommitGraphChain: commit-graph layers put together, each on top of those before.
//
// A single commit-graph file is a chain of one layer. Views: the bytes of all layers must outlive
// the chain. Thread safety: const members from any thread, once all layers are added.
#pragma once

#include <vector>

#include "store/graph/commit_graph.h"

namespace assay {

class CommitGraphChain {
 public:
  struct Layer {
    CommitGraph graph;
    std::uint32_t first_position = 0;  // of its first commit: so many lie in lower layers
    ObjectId name;                     // as the chain file calls it
  };
  struct Place {
    std::size_t layer;
    std::uint32_t row;
  };

  // Puts a layer on top. Errors: kCommitGraphDoubtful, in git's words: the layer was made for
  // other ones below; the chain is as it was.
  Result<void> add(CommitGraph graph, const ObjectId& name);

  const std::vector<Layer>& layers() const { return layers_; }
  // Commits in all layers.
  std::uint32_t count() const { return count_; }
  // Returns: where the commit lies. Requires: position.value < count().
  Place find(GraphPosition position) const;
  const std::uint8_t* raw_id(GraphPosition position) const {
    const Place place = find(position);
    return layers_[place.layer].graph.raw_id(place.row);
  }
  // Generation numbers version 2 count only when all layers have them.
  bool uses_corrected_dates() const;
  // Returns: what git says of layers whose filters it cannot use beside those above,
  // kCommitGraphDoubtful.
  std::vector<Fault> bloom_problems() const;

 private:
  std::vector<Layer> layers_;
  std::uint32_t count_ = 0;
};

}  // namespace assay
