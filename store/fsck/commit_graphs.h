// CommitGraphs: the commit-graphs of all object directories, loaded before objects are listed (a
// graph names only commits that are stored already), and compared with the commits as these pass
// by in verification.
//
// A commit is compared once for each copy, while its bytes are hot: all copies agree, or the check
// of the graph reads the commit again to say what is wrong. So nothing is kept but one byte for
// each commit of a graph.
//
// Thread safety: observe() from any thread; the rest before and after the workers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "store/fsck/object_table.h"
#include "store/graph/commit_graph_chain.h"
#include "store/object/commit.h"
#include "store/odb/object_source.h"
#include "store/os/mapped_file.h"

namespace assay {

// The commit-graph that git would use of one object directory: a file or a chain of layers.
struct StoredCommitGraph {
  struct Layer {
    std::string shown;  // path of the file, as messages show it
    os::MappedFile file;
    std::vector<std::uint32_t> numbers;  // object number of every row, ObjectTable::kAbsent
    std::unique_ptr<std::atomic<std::uint8_t>[]> seen;  // of every row: kAgreed, kDiffered
  };
  struct Problem {
    std::string shown;
    Fault fault;
  };

  bool exists = false;
  bool incomplete = false;    // the chain names layers that could not be added
  std::string shown;          // path of the file or of the chain file
  CommitGraphChain chain;     // as far as it could be loaded
  std::vector<Layer> layers;  // beside those of the chain
  std::vector<Problem> problems;
};

class CommitGraphs {
 public:
  static constexpr std::uint8_t kAgreed = 1;
  static constexpr std::uint8_t kDiffered = 2;

  CommitGraphs() = default;  // no graphs: core.commitGraph is false
  // `only`: the one directory that is meant; all when unset. Layers may lie in any of them.
  static CommitGraphs load(os::System& system, const std::vector<ObjectSource>& directories,
                           HashKind kind, const CommitGraph::Options& options,
                           std::optional<std::size_t> only = std::nullopt);

  // Finds the number of every commit. Requires: called before observe().
  void number(const ObjectTable& table);

  // A copy of a commit was parsed. `parents` are those that count (shallow commits have none).
  void observe(std::uint32_t number, const Commit& commit,
               const std::vector<ObjectId>& parents) const;
  bool empty() const { return empty_; }

  const std::vector<StoredCommitGraph>& graphs() const { return graphs_; }

 private:
  std::vector<StoredCommitGraph> graphs_;  // one for each directory that is meant
  bool empty_ = true;
};

}  // namespace assay
