#include "store/graph/chain_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

ChainFile parse(ByteView bytes, HashKind kind, std::string_view what, MessageId doubtful,
                MessageId untrue) {
  ChainFile file;
  const std::size_t hex_size = id_hex_size(kind);
  std::string_view rest = as_text(bytes);
  // As many lines as there is room for: git reads no more.
  for (std::size_t left = bytes.size() / (hex_size + 1); left > 0 && !rest.empty(); --left) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!ObjectId::from_hex(line.substr(0, hex_size), kind)) {
      file.problems.emplace_back(doubtful,
                                 fmt::format("invalid {} chain: line '{}' not a hash", what, line));
      file.complete = false;
      return file;
    }
    file.layers.emplace_back(line);
  }
  if (!rest.empty()) {
    file.complete = false;
    file.problems.emplace_back(
        untrue, fmt::format("{} chain ends in the middle of a line: '{}'", what, rest));
  }
  return file;
}

}  // namespace

ChainFile parse_commit_graph_chain(ByteView bytes, HashKind kind) {
  return parse(bytes, kind, "commit-graph", MessageId::kCommitGraphDoubtful,
               MessageId::kCommitGraphUntrue);
}

ChainFile parse_multi_pack_index_chain(ByteView bytes, HashKind kind) {
  return parse(bytes, kind, "multi-pack-index", MessageId::kMultiPackIndexDoubtful,
               MessageId::kMultiPackIndexUntrue);
}

}  // namespace assay
