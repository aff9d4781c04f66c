#include "store/index/cache_tree.h"

#include <algorithm>
#include <charconv>

#include "store/base/byte_reader.h"

namespace assay {
namespace {

// A decimal number, perhaps negative, followed by `stop`.
std::optional<std::int32_t> parse_number(ByteReader& reader, char stop) {
  const auto text = reader.take_until(static_cast<std::uint8_t>(stop));
  if (!text) return std::nullopt;
  const char* begin = reinterpret_cast<const char*>(text->data());
  const char* end = begin + text->size();
  std::int32_t number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<CacheTreeNode> parse_node(ByteReader& reader, HashKind kind) {
  const auto name = reader.take_until(0);
  if (!name) return std::nullopt;
  const auto entry_count = parse_number(reader, ' ');
  if (!entry_count) return std::nullopt;
  const auto subtree_count = parse_number(reader, '\n');
  if (!subtree_count || *subtree_count < 0) return std::nullopt;
  CacheTreeNode node;
  node.name = as_text(*name);
  node.entry_count = *entry_count;
  node.subtree_count = static_cast<std::uint32_t>(*subtree_count);
  node.id = ObjectId::null(kind);
  if (*entry_count >= 0) {
    const auto id = reader.take(id_size(kind));
    if (!id) return std::nullopt;
    node.id = ObjectId::from_raw(id->data(), kind);
  }
  return node;
}

}  // namespace

std::string CacheTree::path_of(std::size_t node) const {
  std::string path;
  for (; node != CacheTreeNode::kNoParent; node = nodes[node].parent) {
    if (nodes[node].name.empty()) continue;
    path.insert(0, path.empty() ? nodes[node].name : nodes[node].name + "/");
  }
  return path;
}

std::optional<CacheTree> parse_cache_tree(ByteView bytes, HashKind kind) {
  if (bytes.empty() || bytes[0] != 0) return std::nullopt;  // the root has no name
  ByteReader reader(bytes);
  CacheTree tree;
  // Trees whose subtrees are still being read, with how many are to come: a list instead of
  // recursion, since the depth is up to the file.
  std::vector<std::pair<std::size_t, std::uint32_t>> open;
  do {
    auto node = parse_node(reader, kind);
    if (!node) return std::nullopt;
    if (!open.empty()) {
      node->parent = open.back().first;
      --open.back().second;
    }
    open.emplace_back(tree.nodes.size(), node->subtree_count);
    tree.nodes.push_back(std::move(*node));
    while (!open.empty() && open.back().second == 0) open.pop_back();
  } while (!open.empty());
  return tree;
}

}  // namespace assay
