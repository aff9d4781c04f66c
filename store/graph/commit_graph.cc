#include "store/graph/commit_graph.h"

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::uint32_t kSignature = chunk_id("CGPH");
constexpr unsigned kVersion = 1;
constexpr std::size_t kHeaderSize = 8;
constexpr std::size_t kFanoutSize = 256 * 4;
constexpr std::size_t kBloomHeaderSize = 12;
constexpr std::uint32_t kOverflow = 0x80000000;

Result<void> unreadable(std::string cause, std::string text) {
  Fault fault(MessageId::kCommitGraphUnreadable, std::move(text));
  fault.causes.push_back(std::move(cause));
  return tl::unexpected<Fault>(std::move(fault));
}

}  // namespace

Result<CommitGraph> CommitGraph::parse(ByteView bytes, HashKind kind, const Options& options) {
  const auto bad = [](std::string text) {
    return fault(MessageId::kCommitGraphUnreadable, std::move(text));
  };
  const std::size_t hash_size = id_size(kind);
  if (bytes.size() < kHeaderSize + 4 * ChunkTable::kRowSize + kFanoutSize + hash_size) {
    return bad("commit-graph file is too small");
  }
  const std::uint32_t signature = read_be32(bytes.data());
  if (signature != kSignature) {
    return bad(fmt::format("commit-graph signature {:X} does not match signature {:X}", signature,
                           kSignature));
  }
  if (bytes[4] != kVersion) {
    return bad(
        fmt::format("commit-graph version {:X} does not match version {:X}", bytes[4], kVersion));
  }
  const unsigned hash_version = kind == HashKind::kSha1 ? 1 : 2;
  if (bytes[5] != hash_version) {
    return bad(fmt::format("commit-graph hash version {:X} does not match version {:X}", bytes[5],
                           hash_version));
  }
  const std::size_t chunk_count = bytes[6];
  if (bytes.size() <
      kHeaderSize + (chunk_count + 1) * ChunkTable::kRowSize + kFanoutSize + hash_size) {
    return bad(fmt::format("commit-graph file is too small to hold {} chunks", chunk_count));
  }
  const auto chunks = ChunkTable::parse(bytes, {kHeaderSize, chunk_count, 1, hash_size},
                                        MessageId::kCommitGraphUnreadable);
  if (!chunks) return tl::unexpected<Fault>(chunks.error());
  CommitGraph graph;
  graph.bytes_ = bytes;
  graph.kind_ = kind;
  if (auto read = graph.read_required(*chunks); !read) {
    return tl::unexpected<Fault>(std::move(read.error()));
  }
  graph.extra_edges_ = chunks->find(chunk_id("EDGE")).value_or(ByteView());
  graph.base_graphs_ = chunks->find(chunk_id("BASE")).value_or(ByteView());
  if (options.read_generation_data) graph.read_generations(*chunks);
  if (options.read_changed_paths) graph.read_bloom_filters(*chunks);
  return graph;
}

Result<void> CommitGraph::read_required(const ChunkTable& chunks) {
  const std::size_t hash_size = id_size(kind_);
  constexpr std::string_view kNoFanout =
      "commit-graph required OID fanout chunk missing or corrupted";
  constexpr std::string_view kNoIds = "commit-graph required OID lookup chunk missing or corrupted";
  constexpr std::string_view kNoData =
      "commit-graph required commit data chunk missing or corrupted";
  const auto missing = [](std::string_view text) {
    return fault(MessageId::kCommitGraphUnreadable, std::string(text));
  };
  const auto fanout = chunks.find(chunk_id("OIDF"));
  if (!fanout) return missing(kNoFanout);
  if (fanout->size() != kFanoutSize) {
    return unreadable("commit-graph oid fanout chunk is wrong size", std::string(kNoFanout));
  }
  fanout_ = fanout->data();
  count_ = this->fanout(255);
  for (std::size_t i = 0; i < 255; ++i) {
    if (this->fanout(i) > this->fanout(i + 1)) {
      return unreadable("commit-graph fanout values out of order", std::string(kNoFanout));
    }
  }
  // As git, by division: a chunk may be longer by less than one row.
  const auto ids = chunks.find(chunk_id("OIDL"));
  if (!ids) return missing(kNoIds);
  if (ids->size() / hash_size != count_) {
    return unreadable("commit-graph OID lookup chunk is the wrong size", std::string(kNoIds));
  }
  ids_ = ids->data();
  const auto data = chunks.find(chunk_id("CDAT"));
  if (!data) return missing(kNoData);
  if (data->size() / (hash_size + 16) != count_) {
    return unreadable("commit-graph commit data chunk is wrong size", std::string(kNoData));
  }
  data_ = data->data();
  return {};
}

void CommitGraph::read_generations(const ChunkTable& chunks) {
  const auto data = chunks.find(chunk_id("GDA2"));
  if (!data) return;
  if (data->size() / 4 != count_) {
    problems_.emplace_back(MessageId::kCommitGraphUntrue,
                           "commit-graph generations chunk is wrong size");
    return;
  }
  generation_data_ = *data;
  generation_overflow_ = chunks.find(chunk_id("GDO2")).value_or(ByteView());
}

void CommitGraph::read_bloom_filters(const ChunkTable& chunks) {
  const auto index = chunks.find(chunk_id("BIDX"));
  const auto filters = chunks.find(chunk_id("BDAT"));
  bool sized = index && filters;
  if (index && index->size() / 4 != count_) {
    problems_.emplace_back(MessageId::kCommitGraphDoubtful,
                           "commit-graph changed-path index chunk is too small");
    sized = false;
  }
  if (filters && filters->size() < kBloomHeaderSize) {
    problems_.emplace_back(MessageId::kCommitGraphDoubtful,
                           fmt::format("ignoring too-small changed-path chunk ({} < {}) in "
                                       "commit-graph file",
                                       filters->size(), kBloomHeaderSize));
    sized = false;
  }
  if (!sized) return;
  // From here on git looks only when a filter is used; then it ignores what cannot be.
  const auto untrue = [&](std::string text) {
    problems_.emplace_back(MessageId::kCommitGraphUntrue, std::move(text));
  };
  const std::uint32_t hash_version = read_be32(filters->data());
  bloom_settings_ =
      BloomSettings{hash_version, read_be32(filters->data() + 4), read_be32(filters->data() + 8)};
  if (hash_version != 1 && hash_version != 2) {
    untrue(
        fmt::format("commit-graph changed-path chunk has unknown hash version {}", hash_version));
  }
  if (bloom_settings_->hash_count == 0 || bloom_settings_->bits_per_entry == 0) {
    untrue("commit-graph changed-path filters are made with no hashes or no bits");
  }
  const std::uint64_t size = filters->size() - kBloomHeaderSize;
  std::uint32_t begin = 0;
  for (std::uint32_t row = 0; row < count_; ++row) {
    const std::uint32_t end = read_be32(index->data() + 4 * std::size_t{row});
    if (end < begin || end > size) {
      untrue(
          fmt::format("commit-graph changed-path filter of commit {} lies at {} to {} of {} "
                      "bytes",
                      id(row).hex(), begin, end, size));
      return;
    }
    begin = end;
  }
  if (begin != size) {
    untrue(fmt::format("commit-graph changed-path filters end at {} of {} bytes", begin, size));
  }
}

Result<std::uint64_t> CommitGraph::corrected_date(std::uint32_t row) const {
  const std::uint32_t offset = read_be32(generation_data_.data() + 4 * std::size_t{row});
  if ((offset & kOverflow) == 0) return commit_time(row) + offset;
  const auto bad = [](std::string text) {
    return fault(MessageId::kCommitGraphBad, std::move(text));
  };
  if (generation_overflow_.data() == nullptr) {
    return bad("commit-graph requires overflow generation data but has none");
  }
  const std::size_t slot = offset ^ kOverflow;
  if (generation_overflow_.size() / 8 <= slot) {
    return bad("commit-graph overflow generation data is too small");
  }
  return commit_time(row) + read_be64(generation_overflow_.data() + 8 * slot);
}

std::optional<std::uint32_t> CommitGraph::extra_edge(std::uint32_t row) const {
  const std::uint8_t* numbers = data(row) + id_size(kind_);
  if (read_be32(numbers) == kNoParent) return std::nullopt;
  const std::uint32_t second = read_be32(numbers + 4);
  // kNoParent has its upper bit clear.
  if ((second & kExtraEdges) == 0) return std::nullopt;
  return second & kEdgeMask;
}

}  // namespace assay
