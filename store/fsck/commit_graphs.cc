#include "store/fsck/commit_graphs.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/fsck/map_file.h"
#include "store/graph/chain_file.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxChainFileSize = std::uint64_t{1} << 20;

class Loader {
 public:
  Loader(os::System& system, const std::vector<ObjectSource>& directories, HashKind kind,
         const CommitGraph::Options& options)
      : system_(system), directories_(directories), kind_(kind), options_(options) {}

  StoredCommitGraph load(const ObjectSource& directory);

 private:
  void load_single(os::MappedFile file, StoredCommitGraph& graph);
  void load_chain(ByteView file, StoredCommitGraph& graph);
  bool add_layer(const std::string& line, StoredCommitGraph& graph);
  // Returns: false when the file is to be looked for elsewhere.
  bool add_file(os::MappedFile file, const std::string& shown, const ObjectId& name,
                StoredCommitGraph& graph, bool& added);

  os::System& system_;
  const std::vector<ObjectSource>& directories_;
  HashKind kind_;
  const CommitGraph::Options& options_;
};

void note(StoredCommitGraph& graph, const std::string& shown, Fault fault) {
  graph.problems.push_back({shown, std::move(fault)});
}

StoredCommitGraph Loader::load(const ObjectSource& directory) {
  StoredCommitGraph graph;
  const std::string single = "/info/commit-graph";
  const std::string chain = "/info/commit-graphs/commit-graph-chain";
  auto file = map_file(system_, directory.path + single);
  if (file || file.error().code != ENOENT) {
    graph.exists = true;
    graph.shown = directory.shown_path + single;
    if (file) {
      load_single(std::move(*file), graph);
    } else {
      note(graph, graph.shown,
           Fault(MessageId::kCommitGraphUnreadable,
                 fmt::format("Could not open commit-graph '{}': {}", graph.shown,
                             file.error().text())));
    }
    return graph;
  }
  const auto lines = map_file(system_, directory.path + chain);
  if (!lines && (lines.error().code == ENOENT || lines.error().code == ENOTDIR)) return graph;
  if (lines && lines->bytes().empty()) return graph;  // git: the same as missing
  graph.exists = true;
  graph.shown = directory.shown_path + chain;
  if (!lines || lines->bytes().size() < id_hex_size(kind_)) {
    if (lines) {
      note(graph, graph.shown,
           Fault(MessageId::kCommitGraphDoubtful, "commit-graph chain file too small"));
    }
    note(graph, graph.shown,
         Fault(MessageId::kCommitGraphUnreadable,
               fmt::format("could not open commit-graph chain '{}': {}", graph.shown,
                           lines ? "Invalid argument" : lines.error().text())));
    return graph;
  }
  // A few lines: a larger file is none of git's.
  load_chain(lines->bytes().first(static_cast<std::size_t>(
                 std::min<std::uint64_t>(lines->bytes().size(), kMaxChainFileSize))),
             graph);
  return graph;
}

void Loader::load_single(os::MappedFile file, StoredCommitGraph& graph) {
  bool added = false;
  add_file(std::move(file), graph.shown, ObjectId::null(kind_), graph, added);
}

void Loader::load_chain(ByteView file, StoredCommitGraph& graph) {
  const ChainFile lines = parse_commit_graph_chain(file, kind_);
  graph.incomplete = !lines.complete;
  for (const Fault& problem : lines.problems) note(graph, graph.shown, problem);
  for (const std::string& line : lines.layers) {
    if (add_layer(line, graph)) continue;
    note(graph, graph.shown,
         Fault(MessageId::kCommitGraphDoubtful, "unable to find all commit-graph files"));
    graph.incomplete = true;
    break;
  }
  for (Fault& problem : graph.chain.bloom_problems()) note(graph, graph.shown, std::move(problem));
  if (!graph.incomplete) return;
  note(graph, graph.shown,
       Fault(MessageId::kCommitGraphUnreadable,
             "one or more commit-graph chain files could not be loaded"));
}

// A layer may lie in any object directory: that of a fork may build on that of its origin.
bool Loader::add_layer(const std::string& line, StoredCommitGraph& graph) {
  const auto name = ObjectId::from_hex(line, kind_);
  if (!name) return false;
  for (const ObjectSource& directory : directories_) {
    const std::string path = fmt::format("/info/commit-graphs/graph-{}.graph", line);
    auto file = map_file(system_, directory.path + path);
    if (!file) continue;
    bool added = false;
    if (add_file(std::move(*file), directory.shown_path + path, *name, graph, added)) return added;
  }
  return false;
}

bool Loader::add_file(os::MappedFile file, const std::string& shown, const ObjectId& name,
                      StoredCommitGraph& graph, bool& added) {
  auto parsed = CommitGraph::parse(file.bytes(), kind_, options_);
  if (!parsed) {
    note(graph, shown, std::move(parsed.error()));
    return false;
  }
  for (const Fault& problem : parsed->problems()) note(graph, shown, problem);
  if (auto put = graph.chain.add(std::move(*parsed), name); !put) {
    note(graph, shown, std::move(put.error()));
    return true;
  }
  added = true;
  StoredCommitGraph::Layer& layer = graph.layers.emplace_back();
  layer.shown = shown;
  layer.file = std::move(file);
  return true;
}

// Returns: true when the graph says of the commit what the commit says of itself.
bool agrees(const CommitGraphChain& chain, const CommitGraph& graph, std::uint32_t row,
            const Commit& commit, const std::vector<ObjectId>& parents) {
  const std::size_t hash_size = id_size(graph.kind());
  if (std::memcmp(graph.raw_tree(row), commit.tree.data(), hash_size) != 0) return false;
  if (graph.commit_time(row) != commit.commit_time) return false;
  std::size_t next = 0;
  bool same = true;
  const bool complete = graph.for_each_parent(row, [&](GraphPosition parent) {
    same = next < parents.size() && parent.value < chain.count() &&
           std::memcmp(chain.raw_id(parent), parents[next].data(), hash_size) == 0;
    ++next;
    return same;
  });
  return complete && same && next == parents.size();
}

}  // namespace

CommitGraphs CommitGraphs::load(os::System& system, const std::vector<ObjectSource>& directories,
                                HashKind kind, const CommitGraph::Options& options,
                                std::optional<std::size_t> only) {
  CommitGraphs graphs;
  Loader loader(system, directories, kind, options);
  for (std::size_t i = 0; i < directories.size(); ++i) {
    if (only && *only != i) continue;
    graphs.graphs_.push_back(loader.load(directories[i]));
    graphs.empty_ = graphs.empty_ && graphs.graphs_.back().layers.empty();
  }
  return graphs;
}

void CommitGraphs::number(const ObjectTable& table) {
  for (StoredCommitGraph& stored : graphs_) {
    for (std::size_t i = 0; i < stored.layers.size(); ++i) {
      const CommitGraph& graph = stored.chain.layers()[i].graph;
      StoredCommitGraph::Layer& layer = stored.layers[i];
      // Numbered again when the table has grown; what was seen stays.
      if (!layer.seen) layer.seen = std::make_unique<std::atomic<std::uint8_t>[]>(graph.count());
      layer.numbers.resize(graph.count());
      for (std::uint32_t row = 0; row < graph.count(); ++row) {
        layer.numbers[row] = table.find(graph.raw_id(row));
      }
    }
  }
}

void CommitGraphs::observe(std::uint32_t number, const Commit& commit,
                           const std::vector<ObjectId>& parents) const {
  for (const StoredCommitGraph& stored : graphs_) {
    for (std::size_t i = 0; i < stored.layers.size(); ++i) {
      const StoredCommitGraph::Layer& layer = stored.layers[i];
      // Ids are sorted, so numbers are; where they are not, the commit is read again later.
      const auto found = std::lower_bound(layer.numbers.begin(), layer.numbers.end(), number);
      if (found == layer.numbers.end() || *found != number) continue;
      const auto row = static_cast<std::uint32_t>(found - layer.numbers.begin());
      const CommitGraph& graph = stored.chain.layers()[i].graph;
      const bool same = agrees(stored.chain, graph, row, commit, parents);
      layer.seen[row].fetch_or(same ? kAgreed : kDiffered, std::memory_order_relaxed);
    }
  }
}

}  // namespace assay
