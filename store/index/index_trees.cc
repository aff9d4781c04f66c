#include "store/index/index_trees.h"

#include <algorithm>

#include "store/object/object_hash.h"
#include "store/object/tree_writer.h"

namespace assay {
namespace {

constexpr std::uint32_t kTreeMode = 040000;
// Bytes of the paths of directories, for each byte of the paths of entries, and always allowed.
constexpr std::uint64_t kMostPathBytes = 16;
constexpr std::uint64_t kMinPathBudget = std::uint64_t{1} << 20;

class TreeMaker {
 public:
  TreeMaker(HashKind kind, std::uint64_t path_budget) : kind_(kind), path_budget_(path_budget) {
    open_.emplace_back();
  }

  // Returns: false when the paths of directories would take more than the budget.
  bool add(const IndexEntry& entry);
  IndexTrees finish();

 private:
  struct Directory {
    std::string path;  // ends in "/" but for the root
    Bytes content;
    IndexTree tree;
  };

  bool enter(const std::string& path);
  void close();

  HashKind kind_;
  std::uint64_t path_budget_;  // bytes left
  std::vector<Directory> open_;
  IndexTrees trees_;
};

void TreeMaker::close() {
  Directory done = std::move(open_.back());
  open_.pop_back();
  done.tree.id = name_object(ObjectType::kTree, done.content, kind_).id;
  std::string path = done.path.substr(0, done.path.empty() ? 0 : done.path.size() - 1);
  if (!open_.empty()) {
    Directory& above = open_.back();
    append_tree_entry(above.content, kTreeMode, std::string_view(path).substr(above.path.size()),
                      done.tree.id);
    above.tree.entry_count += done.tree.entry_count;
    above.tree.is_complete = above.tree.is_complete && done.tree.is_complete;
  }
  trees_.insert_or_assign(std::move(path), done.tree);
}

// Makes the directory of the path the one that is open last. Returns: as add().
bool TreeMaker::enter(const std::string& path) {
  while (!path.starts_with(open_.back().path)) close();
  for (;;) {
    const std::size_t slash = path.find('/', open_.back().path.size());
    // A directory of a sparse index is an entry, although its path ends in a slash.
    if (slash == std::string::npos || slash + 1 == path.size()) return true;
    if (slash >= path_budget_) return false;
    path_budget_ -= slash + 1;
    Directory directory;
    directory.path = path.substr(0, slash + 1);
    open_.push_back(std::move(directory));
  }
}

bool TreeMaker::add(const IndexEntry& entry) {
  if (!enter(entry.path)) return false;
  Directory& directory = open_.back();
  ++directory.tree.entry_count;
  if (entry.stage != 0 || entry.intent_to_add) {
    directory.tree.is_complete = false;
    return true;
  }
  std::string_view name = std::string_view(entry.path).substr(directory.path.size());
  if (entry.is_sparse_directory()) {
    if (name.ends_with('/')) name.remove_suffix(1);
    trees_.insert_or_assign(directory.path + std::string(name), IndexTree{entry.id, 1, true});
  }
  append_tree_entry(directory.content, entry.mode, name, entry.id);
  return true;
}

IndexTrees TreeMaker::finish() {
  while (!open_.empty()) close();
  return std::move(trees_);
}

}  // namespace

std::optional<IndexTrees> trees_of_index(const std::vector<IndexEntry>& entries, HashKind kind) {
  std::uint64_t path_bytes = 0;
  for (const IndexEntry& entry : entries) path_bytes += entry.path.size();
  TreeMaker maker(kind, std::max(kMinPathBudget, kMostPathBytes * path_bytes));
  for (const IndexEntry& entry : entries) {
    if (!maker.add(entry)) return std::nullopt;
  }
  return maker.finish();
}

}  // namespace assay
