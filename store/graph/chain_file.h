// The files commit-graph-chain and multi-pack-index-chain: the layers of a chain, the lowest first,
// a hash in hex on each line. Source of the formats: gitformat-commit-graph(5), gitformat-pack(5),
// "incremental multi-pack-indexes", and git 2.55.
#pragma once

#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

struct ChainFile {
  // The lines: a hash that may, as git reads, be followed by anything.
  std::vector<std::string> layers;
  bool complete = true;         // every line was read and names a layer
  std::vector<Fault> problems;  // k...Doubtful in git's words, or k...Untrue
};

ChainFile parse_commit_graph_chain(ByteView bytes, HashKind kind);
ChainFile parse_multi_pack_index_chain(ByteView bytes, HashKind kind);

}  // namespace assay
