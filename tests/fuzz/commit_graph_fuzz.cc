// Commit-graph files and the list of a chain: whatever is believed of a file can be asked for.
#include "store/graph/commit_graph.h"

#include "store/graph/chain_file.h"
#include "store/graph/commit_graph_chain.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

namespace {

void ask_everything(const CommitGraph& graph, std::size_t size) {
  FUZZ_EXPECT(std::uint64_t{graph.count()} * 36 <= size);
  for (std::uint32_t row = 0; row < graph.count(); ++row) {
    (void)graph.id(row);
    (void)graph.tree(row);
    (void)graph.topological_level(row);
    FUZZ_EXPECT(graph.commit_time(row) < std::uint64_t{1} << 34);
    if (graph.has_generation_data()) (void)graph.corrected_date(row);
    std::size_t parents = 0;
    (void)graph.for_each_parent(row, [&](GraphPosition) { return ++parents <= 100; });
    FUZZ_EXPECT(parents <= std::size_t{2} + graph.extra_edge_count());
    (void)graph.extra_edge(row);
  }
  for (std::uint32_t edge = 0; edge < graph.extra_edge_count(); ++edge) (void)graph.edge(edge);
  if (!graph.has_base_graphs()) return;
  for (std::size_t layer = 0; layer < graph.base_graph_count(); ++layer) {
    (void)graph.base_graph(layer);
  }
}

}  // namespace

ASSAY_FUZZ_TARGET(commit_graph) {
  if (input.empty()) return;
  const HashKind kind = (input[0] & 1) != 0 ? HashKind::kSha256 : HashKind::kSha1;
  const ByteView file = input.subspan(1);
  const ChainFile list = parse_commit_graph_chain(file, kind);
  // More may stand on the line, as for git: no such layer will be found.
  for (const std::string& layer : list.layers) FUZZ_EXPECT(layer.size() >= id_hex_size(kind));

  CommitGraph::Options options;
  options.read_generation_data = (input[0] & 2) == 0;
  options.read_changed_paths = (input[0] & 4) == 0;
  const auto graph = CommitGraph::parse(file, kind, options);
  if (!graph) return;
  ask_everything(*graph, file.size());
  // On top of itself it is a chain of two layers, if it says so.
  CommitGraphChain chain;
  (void)chain.add(*graph, graph->checksum());
  (void)chain.add(*graph, graph->checksum());
  for (std::uint32_t i = 0; i < chain.count(); ++i) {
    FUZZ_EXPECT(chain.find({i}).layer < chain.layers().size());
    (void)chain.raw_id({i});
  }
  (void)chain.uses_corrected_dates();
  (void)chain.bloom_problems();
}
