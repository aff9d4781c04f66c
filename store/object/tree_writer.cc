#include "store/object/tree_writer.h"

#include <fmt/format.h>

namespace assay {

void append_tree_entry(Bytes& tree, std::uint32_t mode, std::string_view name, const ObjectId& id) {
  const std::string head = fmt::format("{:o} {}", mode, name);
  tree.insert(tree.end(), head.begin(), head.end());
  tree.push_back(0);
  tree.insert(tree.end(), id.bytes().begin(), id.bytes().end());
}

}  // namespace assay
