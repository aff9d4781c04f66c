#include "store/fsck/check_commit_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/fsck/copy_reader.h"
#include "store/fsck/flood_gate.h"
#include "store/fsck/multi_pack_index_lookup.h"
#include "store/fsck/phases.h"
#include "store/object/file_checksum.h"

namespace assay {
namespace {

constexpr std::uint64_t kInfinity = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kHighestLevel = 0x3fffffff;  // what 30 bits hold

// Generation numbers of a commit, or the highest of several.
struct Generations {
  std::uint64_t used = 0;   // of the version that counts in this chain
  std::uint32_t level = 0;  // version 1
  bool all_known = true;    // no level is zero

  void add(const Generations& other) {
    used = std::max(used, other.used);
    level = std::max(level, other.level);
    all_known = all_known && other.all_known;
  }
};

// Checks one chain (a single file is a chain of one layer).
class ChainChecker {
 public:
  ChainChecker(const StoredCommitGraph& stored, const Storage& storage, const LinkLedger& ledger,
               const CommitGraphCheckOptions& options, CopyReader& reader,
               MultiPackIndexLookup& listed, FloodGate& gate)
      : stored_(stored),
        chain_(stored.chain),
        storage_(storage),
        ledger_(ledger),
        options_(options),
        reader_(reader),
        listed_(listed),
        gate_(gate) {}

  void check();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // What an extra edge and those after it say, up to the last of the list.
  struct EdgeList {
    bool runs_out = true;
    std::uint32_t first_bad = kNone;  // parent out of reach
    Generations highest;
  };

  void read_generations();
  void check_structure(std::size_t layer);
  bool check_order(std::size_t layer);
  void check_parents(std::size_t layer, bool ordered);
  bool is_found(std::size_t layer, std::uint32_t row) const;
  void read_edges(std::size_t layer);
  Generations generations_of(GraphPosition position) const;
  void check_commits(std::size_t layer);
  void check_against_object(std::size_t layer, std::uint32_t row);
  void compare(const CommitGraph& graph, std::uint32_t row, const Commit& commit,
               const std::vector<ObjectId>& parents);
  void check_generation(std::size_t layer, std::uint32_t row);
  void report(std::string text, MessageId id = MessageId::kCommitGraphBad,
              std::vector<std::string> causes = {}) {
    gate_.report(id, std::move(text), std::move(causes));
  }

  const StoredCommitGraph& stored_;
  const CommitGraphChain& chain_;
  const Storage& storage_;
  const LinkLedger& ledger_;
  const CommitGraphCheckOptions& options_;
  CopyReader& reader_;
  MultiPackIndexLookup& listed_;
  FloodGate& gate_;
  bool corrected_dates_ = false;
  std::vector<std::uint64_t> generations_;    // by graph position
  std::vector<EdgeList> edges_;               // of the layer, one more than there are edges
  std::uint32_t with_generation_ = kNone;     // the last row of the layer that has one
  std::uint32_t without_generation_ = kNone;  // and that has none
};

void ChainChecker::check() {
  corrected_dates_ = chain_.uses_corrected_dates();
  read_generations();
  for (std::size_t layer = chain_.layers().size(); layer-- > 0;) {
    gate_.enter_file(stored_.layers[layer].shown);
    read_edges(layer);
    check_structure(layer);
    check_commits(layer);
    gate_.leave_file();
    if (options_.only_uppermost) break;
  }
}

void ChainChecker::read_generations() {
  generations_.reserve(chain_.count());
  for (std::size_t i = 0; i < chain_.layers().size(); ++i) {
    const CommitGraph& graph = chain_.layers()[i].graph;
    gate_.enter_file(stored_.layers[i].shown);
    for (std::uint32_t row = 0; row < graph.count(); ++row) {
      if (!corrected_dates_) {
        generations_.push_back(graph.topological_level(row));
        continue;
      }
      const auto date = graph.corrected_date(row);
      if (!date) report("fatal: " + date.error().text);
      generations_.push_back(date.value_or(kInfinity));
    }
    gate_.leave_file();
  }
}

void ChainChecker::check_structure(std::size_t layer) {
  const CommitGraphChain::Layer& chained = chain_.layers()[layer];
  if (!checksum_holds(chained.graph.bytes(), storage_.kind())) {
    report("the commit-graph file has incorrect checksum and is likely corrupt");
  } else if (!chained.name.is_null() && chained.name != chained.graph.checksum()) {
    report(fmt::format("commit-graph layer {} has the checksum {}", chained.name.hex(),
                       chained.graph.checksum().hex()),
           MessageId::kCommitGraphUntrue);
  }
  const bool ordered = check_order(layer);
  check_parents(layer, ordered);
}

bool ChainChecker::check_order(std::size_t layer) {
  const CommitGraph& graph = chain_.layers()[layer].graph;
  const std::size_t hash_size = id_size(graph.kind());
  bool ordered = true;
  unsigned byte = 0;  // of the fanout: all before were compared
  const auto check_fanout = [&](std::uint32_t expected) {
    if (graph.fanout(byte) == expected) return;
    ordered = false;
    report(fmt::format("commit-graph has incorrect fanout value: fanout[{}] = {} != {}", byte,
                       graph.fanout(byte), expected));
  };
  for (std::uint32_t row = 0; row < graph.count(); ++row) {
    if (row > 0 && std::memcmp(graph.raw_id(row - 1), graph.raw_id(row), hash_size) >= 0) {
      ordered = false;
      report(fmt::format("commit-graph has incorrect OID order: {} then {}",
                         graph.id(row - 1).hex(), graph.id(row).hex()));
    }
    for (; graph.raw_id(row)[0] > byte; ++byte) check_fanout(row);
  }
  for (; byte < 256; ++byte) check_fanout(graph.count());
  return ordered;
}

// True when git finds the commit by halving, in this layer or one below.
bool ChainChecker::is_found(std::size_t layer, std::uint32_t row) const {
  const std::uint8_t* wanted = chain_.layers()[layer].graph.raw_id(row);
  const auto& layers = chain_.layers();
  return std::any_of(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(layer) + 1,
                     [&](const auto& below) { return below.graph.find(wanted).has_value(); });
}

// Lists of edges share their ends: a hostile file may have every commit begin at the first of many
// edges, so each edge is looked at once, from the end.
void ChainChecker::read_edges(std::size_t layer) {
  const CommitGraphChain::Layer& chained = chain_.layers()[layer];
  const std::uint32_t in_reach = chained.first_position + chained.graph.count();
  const std::uint32_t count = chained.graph.extra_edge_count();
  edges_.assign(std::size_t{count} + 1, EdgeList());
  for (std::uint32_t i = count; i-- > 0;) {
    const CommitGraph::Edge edge = chained.graph.edge(i);
    if (!edge.is_last) edges_[i] = edges_[i + 1];
    if (edge.is_last) edges_[i].runs_out = false;
    if (edge.parent.value >= in_reach) {
      edges_[i].first_bad = edge.parent.value;
    } else {
      edges_[i].highest.add(generations_of(edge.parent));
    }
  }
}

Generations ChainChecker::generations_of(GraphPosition position) const {
  const CommitGraphChain::Place place = chain_.find(position);
  const std::uint32_t level = chain_.layers()[place.layer].graph.topological_level(place.row);
  return {generations_[position.value], level, level != 0};
}

void ChainChecker::check_parents(std::size_t layer, bool ordered) {
  const CommitGraphChain::Layer& chained = chain_.layers()[layer];
  const CommitGraph& graph = chained.graph;
  const std::uint32_t in_reach = chained.first_position + graph.count();
  const auto check_reach = [&](std::uint32_t parent) {
    if (parent >= in_reach) report(fmt::format("fatal: invalid parent position {}", parent));
  };
  for (std::uint32_t row = 0; row < graph.count(); ++row) {
    std::vector<std::string> causes;
    bool found = ordered || is_found(layer, row);
    const auto extra = graph.extra_edge(row);
    graph.for_each_parent(row, [&](GraphPosition parent) {
      check_reach(parent.value);
      return !extra;  // the first is no extra edge; those were looked at together
    });
    if (extra) {
      const EdgeList& edges = edges_[std::min(*extra, graph.extra_edge_count())];
      if (edges.first_bad != kNone) {
        check_reach(edges.first_bad);
      } else if (edges.runs_out) {
        causes.emplace_back("commit-graph extra-edges pointer out of bounds");
        found = false;
      }
    }
    if (found) continue;
    report(fmt::format("failed to parse commit {} from commit-graph", graph.id(row).hex()),
           MessageId::kCommitGraphBad, std::move(causes));
  }
}

void ChainChecker::check_commits(std::size_t layer) {
  const CommitGraph& graph = chain_.layers()[layer].graph;
  const StoredCommitGraph::Layer& stored = stored_.layers[layer];
  with_generation_ = kNone;
  without_generation_ = kNone;
  for (std::uint32_t row = 0; row < graph.count(); ++row) {
    const std::uint32_t number = stored.numbers[row];
    const bool present =
        number != ObjectTable::kAbsent && ledger_.present_type(number) == ObjectType::kCommit;
    // Every good copy was compared when it passed by; only what differed is read again.
    if (!present || stored.seen[row].load() != CommitGraphs::kAgreed) {
      check_against_object(layer, row);
    }
    check_generation(layer, row);
  }
  if (with_generation_ != kNone && without_generation_ != kNone) {
    report(
        fmt::format("commit-graph has both zero and non-zero generations (e.g., commits '{}' "
                    "and '{}')",
                    graph.id(without_generation_).hex(), graph.id(with_generation_).hex()));
  }
}

void ChainChecker::check_against_object(std::size_t layer, std::uint32_t row) {
  const CommitGraph& graph = chain_.layers()[layer].graph;
  const ObjectId id = graph.id(row);
  const std::uint32_t number = stored_.layers[layer].numbers[row];
  std::vector<std::string> causes;
  // git reads what a multi-pack-index lists even if the index of the pack does not; that the two
  // differ is said where they are compared.
  if (number == ObjectTable::kAbsent && listed_.contains(id)) return;
  const auto object = number == ObjectTable::kAbsent ? std::nullopt : reader_.read(number);
  if (!object) {
    causes.push_back("Could not read " + id.hex());
  } else if (object->type != ObjectType::kCommit) {
    causes.push_back(fmt::format("Object {} not a commit", id.hex()));
  } else {
    const auto commit = parse_commit(object->bytes, id);
    if (commit) {
      const auto substituted = options_.parents->find(id);
      compare(graph, row, *commit,
              substituted == options_.parents->end() ? commit->parents : substituted->second);
      return;
    }
    causes.push_back(commit.error().text);
  }
  report(fmt::format("failed to parse commit {} from object database for commit-graph", id.hex()),
         MessageId::kCommitGraphBad, std::move(causes));
}

void ChainChecker::compare(const CommitGraph& graph, std::uint32_t row, const Commit& commit,
                           const std::vector<ObjectId>& parents) {
  const std::string hex = graph.id(row).hex();
  if (graph.tree(row) != commit.tree) {
    report(fmt::format("root tree OID for commit {} in commit-graph is {} != {}", hex,
                       graph.tree(row).hex(), commit.tree.hex()));
  }
  std::size_t next = 0;
  graph.for_each_parent(row, [&](GraphPosition position) {
    if (next == parents.size()) {
      report(fmt::format("commit-graph parent list for commit {} is too long", hex));
      next = parents.size() + 1;
      return false;
    }
    // One out of reach was reported already.
    if (position.value < chain_.count()) {
      const ObjectId parent = ObjectId::from_raw(chain_.raw_id(position), graph.kind());
      if (parent != parents[next]) {
        report(fmt::format("commit-graph parent for {} is {} != {}", hex, parent.hex(),
                           parents[next].hex()));
      }
    }
    ++next;
    return true;
  });
  if (next < parents.size()) {
    report(fmt::format("commit-graph parent list for commit {} terminates early", hex));
  }
  if (graph.commit_time(row) != commit.commit_time) {
    report(fmt::format("commit date for commit {} in commit-graph is {} != {}", hex,
                       graph.commit_time(row), commit.commit_time));
  }
}

// The generation of a commit against those of its parents in the graph.
void ChainChecker::check_generation(std::size_t layer, std::uint32_t row) {
  const CommitGraphChain::Layer& chained = chain_.layers()[layer];
  const CommitGraph& graph = chained.graph;
  const auto extra = graph.extra_edge(row);
  Generations parents;
  graph.for_each_parent(row, [&](GraphPosition position) {
    if (position.value < chained.first_position + graph.count()) {
      parents.add(generations_of(position));
    }
    return !extra;
  });
  if (extra) parents.add(edges_[std::min(*extra, graph.extra_edge_count())].highest);
  const Generations own = generations_of({chained.first_position + row});
  (own.used == 0 ? without_generation_ : with_generation_) = row;
  // A level that 30 bits cannot hold stays at the highest they can.
  const std::uint64_t level = std::min<std::uint64_t>(parents.level, kHighestLevel - 1) + 1;
  const std::uint64_t highest =
      corrected_dates_ ? parents.used : std::min(parents.used, kHighestLevel - 1);
  const auto hex = [&] { return graph.id(row).hex(); };
  // As git: once a commit without generation was seen, only the mixture is worth a word.
  if (without_generation_ == kNone && own.used < highest + 1) {
    report(fmt::format("commit-graph generation for commit {} is {} < {}", hex(), own.used,
                       highest + 1));
  } else if (corrected_dates_ && own.used != kInfinity &&
             own.used > std::max(graph.commit_time(row), highest + 1)) {
    // Too high does no harm here but to the commits above, and to the time that walks take.
    report(fmt::format("commit-graph generation for commit {} is {} > {}", hex(), own.used,
                       std::max(graph.commit_time(row), highest + 1)),
           MessageId::kCommitGraphDoubtful);
  }
  // Levels are written beside corrected dates, too; git does not look at them then.
  if (own.level == 0 || !parents.all_known) return;
  if (corrected_dates_ && own.level < level) {
    report(fmt::format("commit-graph topological level for commit {} is {} < {}", hex(), own.level,
                       level),
           MessageId::kCommitGraphUntrue);
  } else if (own.level > level) {
    report(fmt::format("commit-graph topological level for commit {} is {} > {}", hex(), own.level,
                       level),
           MessageId::kCommitGraphDoubtful);
  }
}

}  // namespace

void check_commit_graphs(const CommitGraphs& graphs, const Storage& storage,
                         const LinkLedger& ledger, const CommitGraphCheckOptions& options,
                         const Policy& policy, FindingSink& findings) {
  FaultReporter reporter(policy, findings, kPhaseCommitGraphs);
  FloodGate gate(reporter);
  CopyReader reader(storage, options.memory);
  MultiPackIndexLookup listed(storage);
  for (const StoredCommitGraph& stored : graphs.graphs()) {
    for (const StoredCommitGraph::Problem& problem : stored.problems) {
      reporter.enter_file(problem.shown);
      reporter.report(problem.fault);
    }
    if (stored.layers.empty()) continue;
    ChainChecker(stored, storage, ledger, options, reader, listed, gate).check();
  }
}

}  // namespace assay
