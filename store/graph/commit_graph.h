// CommitGraph: what one commit-graph file says: for every commit its tree, parents, date and
// generation. Format: gitformat-commit-graph(5).
//
// A commit is named by its row in the file (its rank among the sorted ids); parents are named by
// GraphPosition, which counts on through the layers of a chain, lowest layer first.
//
// A view: the bytes must outlive it. Thread safety: const.
#pragma once

#include <optional>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/positions.h"
#include "store/codec/chunk_table.h"
#include "store/codec/find_id.h"
#include "store/report/fault.h"

namespace assay {

class CommitGraph {
 public:
  static constexpr std::uint32_t kNoParent = 0x70000000;

  struct Options {
    bool read_generation_data = true;  // commitGraph.generationVersion is 2 or more
    bool read_changed_paths = true;    // commitGraph.readChangedPaths
  };

  // Checks all that git checks before it uses the file: signature, versions, chunk table, required
  // chunks and their sizes, fanout order; in git's words. Errors: kCommitGraphUnreadable.
  static Result<CommitGraph> parse(ByteView bytes, HashKind kind, const Options& options);

  HashKind kind() const { return kind_; }
  std::uint32_t count() const { return count_; }
  std::uint32_t fanout(std::size_t byte) const { return read_be32(fanout_ + 4 * byte); }
  // The whole file, whose last bytes are its own checksum. A chain knows its layers by that.
  ByteView bytes() const { return bytes_; }
  ObjectId checksum() const {
    return ObjectId::from_raw(bytes_.data() + bytes_.size() - id_size(kind_), kind_);
  }

  // Returns: a row that holds the id, found by halving within its fanout range.
  std::optional<std::uint32_t> find(const std::uint8_t* raw_id) const {
    return find_id(fanout_, ids_, id_size(kind_), id_size(kind_), raw_id);
  }

  // Requires (all of them): row < count().
  const std::uint8_t* raw_id(std::uint32_t row) const {
    return ids_ + std::size_t{row} * id_size(kind_);
  }
  ObjectId id(std::uint32_t row) const { return ObjectId::from_raw(raw_id(row), kind_); }
  const std::uint8_t* raw_tree(std::uint32_t row) const { return data(row); }
  ObjectId tree(std::uint32_t row) const { return ObjectId::from_raw(raw_tree(row), kind_); }
  // Seconds since 1970, of which the file keeps 34 bits.
  std::uint64_t commit_time(std::uint32_t row) const {
    const std::uint8_t* numbers = data(row) + id_size(kind_) + 8;
    return (std::uint64_t{read_be32(numbers) & 3} << 32) | read_be32(numbers + 4);
  }
  // Generation number version 1; 0 when the writer did not know it.
  std::uint32_t topological_level(std::uint32_t row) const {
    return read_be32(data(row) + id_size(kind_) + 8) >> 2;
  }

  // Generation numbers version 2 (corrected commit dates).
  bool has_generation_data() const { return generation_data_.data() != nullptr; }
  // Requires: has_generation_data(). Errors: the number lies in the overflow chunk, outside of it.
  Result<std::uint64_t> corrected_date(std::uint32_t row) const;

  // Calls visit(GraphPosition) for each parent in order, until it returns false.
  // Returns: false when the list of parents runs out of the chunk of extra edges.
  template <typename Visit>
  bool for_each_parent(std::uint32_t row, Visit visit) const {
    const std::uint8_t* numbers = data(row) + id_size(kind_);
    const std::uint32_t first = read_be32(numbers);
    if (first == kNoParent || !visit(GraphPosition{first})) return true;
    const std::uint32_t second = read_be32(numbers + 4);
    if (second == kNoParent) return true;
    if ((second & kExtraEdges) == 0) {
      visit(GraphPosition{second});
      return true;
    }
    for (std::size_t edge = second & kEdgeMask; edge < extra_edges_.size() / 4; ++edge) {
      const std::uint32_t value = read_be32(extra_edges_.data() + 4 * edge);
      if (!visit(GraphPosition{value & kEdgeMask}) || (value & kLastEdge) != 0) return true;
    }
    return false;
  }
  // The first of the extra edges that the commit uses, or nothing.
  std::optional<std::uint32_t> extra_edge(std::uint32_t row) const;
  std::uint32_t extra_edge_count() const {
    return static_cast<std::uint32_t>(extra_edges_.size() / 4);
  }
  struct Edge {
    GraphPosition parent;
    bool is_last = false;
  };
  Edge edge(std::uint32_t position) const {
    const std::uint32_t value = read_be32(extra_edges_.data() + 4 * std::size_t{position});
    return {GraphPosition{value & kEdgeMask}, (value & kLastEdge) != 0};
  }

  // The checksums of the layers below this one, lowest first, as this file names them.
  bool has_base_graphs() const { return base_graphs_.data() != nullptr; }
  std::size_t base_graph_count() const { return base_graphs_.size() / id_size(kind_); }
  ObjectId base_graph(std::size_t layer) const {
    return ObjectId::from_raw(base_graphs_.data() + layer * id_size(kind_), kind_);
  }

  // How the filters of changed paths were made; nothing when there are none that can be used.
  struct BloomSettings {
    std::uint32_t hash_version = 0;
    std::uint32_t hash_count = 0;
    std::uint32_t bits_per_entry = 0;
    friend bool operator==(const BloomSettings&, const BloomSettings&) = default;
  };
  const std::optional<BloomSettings>& bloom_settings() const { return bloom_settings_; }

  // What git ignores or never looks at: damaged chunks of generations (kCommitGraphUntrue) and
  // Bloom filters (kCommitGraphDoubtful where git warns, else kCommitGraphUntrue).
  const std::vector<Fault>& problems() const { return problems_; }

 private:
  static constexpr std::uint32_t kExtraEdges = 0x80000000;
  static constexpr std::uint32_t kLastEdge = 0x80000000;
  static constexpr std::uint32_t kEdgeMask = 0x7fffffff;

  const std::uint8_t* data(std::uint32_t row) const {
    return data_ + std::size_t{row} * (id_size(kind_) + 16);
  }
  Result<void> read_required(const ChunkTable& chunks);
  void read_generations(const ChunkTable& chunks);
  void read_bloom_filters(const ChunkTable& chunks);

  ByteView bytes_;
  HashKind kind_ = HashKind::kSha1;
  std::uint32_t count_ = 0;
  const std::uint8_t* fanout_ = nullptr;
  const std::uint8_t* ids_ = nullptr;
  const std::uint8_t* data_ = nullptr;
  ByteView extra_edges_;
  ByteView base_graphs_;
  ByteView generation_data_;
  ByteView generation_overflow_;
  std::optional<BloomSettings> bloom_settings_;
  std::vector<Fault> problems_;
};

}  // namespace assay
