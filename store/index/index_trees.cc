#include "store/index/index_trees.h"

#include <fmt/format.h>

#include "store/object/object_hash.h"

namespace assay {
namespace {

constexpr std::uint32_t kTreeMode = 040000;

class TreeMaker {
 public:
  explicit TreeMaker(HashKind kind) : kind_(kind) { open_.emplace_back(); }

  void add(const IndexEntry& entry);
  std::map<std::string, IndexTree> finish();

 private:
  struct Directory {
    std::string path;  // ends in "/" but for the root
    Bytes content;
    IndexTree tree;
  };

  void enter(const std::string& path);
  void close();
  static void append(Directory& directory, std::uint32_t mode, std::string_view name,
                     const ObjectId& id);

  HashKind kind_;
  std::vector<Directory> open_;
  std::map<std::string, IndexTree> trees_;
};

void TreeMaker::append(Directory& directory, std::uint32_t mode, std::string_view name,
                       const ObjectId& id) {
  const std::string head = fmt::format("{:o} {}", mode, name);
  directory.content.insert(directory.content.end(), head.begin(), head.end());
  directory.content.push_back(0);
  directory.content.insert(directory.content.end(), id.data(), id.data() + id.size());
}

void TreeMaker::close() {
  Directory done = std::move(open_.back());
  open_.pop_back();
  done.tree.id = name_object(ObjectType::kTree, done.content, kind_).id;
  std::string path = done.path.substr(0, done.path.empty() ? 0 : done.path.size() - 1);
  if (!open_.empty()) {
    Directory& above = open_.back();
    append(above, kTreeMode, std::string_view(path).substr(above.path.size()), done.tree.id);
    above.tree.entry_count += done.tree.entry_count;
    above.tree.is_complete = above.tree.is_complete && done.tree.is_complete;
  }
  trees_.insert_or_assign(std::move(path), done.tree);
}

// Makes the directory of the path the one that is open last.
void TreeMaker::enter(const std::string& path) {
  while (!path.starts_with(open_.back().path)) close();
  for (;;) {
    const std::size_t slash = path.find('/', open_.back().path.size());
    // A directory of a sparse index is an entry, although its path ends in a slash.
    if (slash == std::string::npos || slash + 1 == path.size()) return;
    Directory directory;
    directory.path = path.substr(0, slash + 1);
    open_.push_back(std::move(directory));
  }
}

void TreeMaker::add(const IndexEntry& entry) {
  enter(entry.path);
  Directory& directory = open_.back();
  ++directory.tree.entry_count;
  if (entry.stage != 0 || entry.intent_to_add) {
    directory.tree.is_complete = false;
    return;
  }
  std::string_view name = std::string_view(entry.path).substr(directory.path.size());
  if (entry.is_sparse_directory()) {
    if (name.ends_with('/')) name.remove_suffix(1);
    trees_.insert_or_assign(directory.path + std::string(name), IndexTree{entry.id, 1, true});
  }
  append(directory, entry.mode, name, entry.id);
}

std::map<std::string, IndexTree> TreeMaker::finish() {
  while (!open_.empty()) close();
  return std::move(trees_);
}

}  // namespace

std::map<std::string, IndexTree> trees_of_index(const std::vector<IndexEntry>& entries,
                                                HashKind kind) {
  TreeMaker maker(kind);
  for (const IndexEntry& entry : entries) maker.add(entry);
  return maker.finish();
}

}  // namespace assay
