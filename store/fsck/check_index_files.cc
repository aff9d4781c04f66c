#include "store/fsck/check_index_files.h"

#include <fmt/format.h>

#include "store/fsck/fault_reporter.h"
#include "store/fsck/kept_trees.h"
#include "store/fsck/phases.h"
#include "store/index/index_file.h"
#include "store/index/index_trees.h"
#include "store/os/follow_file.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxIndexSize = std::uint64_t{2} << 30;  // bytes; larger ones are refused
constexpr std::uint32_t kRegularFile = 0100000;

class IndexChecker {
 public:
  IndexChecker(const Repository& repository, const ObjectView& objects, const Policy& policy,
               RootSink& roots, FindingSink& findings, const ReadObject& read, const Note& note)
      : repository_(repository),
        objects_(objects),
        roots_(roots),
        read_(read),
        kept_trees_(repository.hash_kind(), read_),
        reporter_(policy, findings, kPhaseIndexFiles),
        note_(note) {}

  void check_worktree(const Worktree& worktree);

 private:
  // Errors: without the name of the file.
  Result<IndexFile> read(const std::string& path);
  Result<IndexFile> read_shared(const ObjectId& id, const std::string& path,
                                const std::string& git_dir);
  void check_entries(const IndexFile& index, const std::string& prefix);
  // Returns: false if something was wrong.
  bool check_cache_tree(const CacheTree& tree);
  // Whether the tree is the other one when its modes are as an index keeps them.
  bool is_spelled_otherwise(const ObjectId& tree, const ObjectId& other) {
    return read_ && kept_trees_.id_of(tree).value_or(other) == other;
  }
  void check_tree_truth(const CacheTree& tree, const IndexTrees& made);
  void add_expanded(const IndexTrees& made);
  void check_resolve_undo(const IndexFile& index);

  const Repository& repository_;
  const ObjectView& objects_;
  RootSink& roots_;
  const ReadObject& read_;
  KeptTrees kept_trees_;
  FaultReporter reporter_;
  const Note& note_;
  std::string shown_;  // the index file being checked, as git names it
};

void IndexChecker::check_worktree(const Worktree& worktree) {
  const std::string path =
      worktree.is_current ? repository_.index_file() : worktree.git_dir + "/index";
  const auto status = repository_.system().status_at(os::kCurrentDirectory, path, true);
  if (!status && os::is_missing(status.error())) return;  // nothing is staged
  shown_ = repository_.shown_path(path);
  reporter_.enter_file(shown_);
  auto index = read(path);
  if (index && index->link && !index->link->base.is_null()) {
    const auto shared = read_shared(index->link->base, path, worktree.git_dir);
    if (shared) {
      index = merge_split_index(std::move(*index), *shared);
    } else {
      index = tl::unexpected<Fault>(shared.error());
    }
  }
  if (index) {
    const auto disorder = check_index_order(index->entries);
    // What is named is needed all the same.
    if (disorder) reporter_.report(*disorder, shown_ + ": ");
    for (const Fault& problem : index->problems) reporter_.report(problem, shown_ + ": ");
    check_entries(*index, worktree.is_current ? "" : shown_);
    // git takes no notice of the cache-tree of a sparse index.
    const bool is_sound =
        !index->cache_tree || index->is_sparse || check_cache_tree(*index->cache_tree);
    if (!disorder && is_sound && (index->cache_tree || index->is_sparse)) {
      const auto made = trees_of_index(index->entries, repository_.hash_kind());
      if (!made) {
        reporter_.report(MessageId::kIndexEntryBad,
                         shown_ + ": directories are nested too deeply to compare the trees");
      }
      if (made && index->is_sparse) add_expanded(*made);
      if (made && index->cache_tree) check_tree_truth(*index->cache_tree, *made);
    }
    check_resolve_undo(*index);
  } else {
    reporter_.report(index.error(), shown_ + ": ");
  }
}

Result<IndexFile> IndexChecker::read(const std::string& path) {
  const auto bytes = os::read_followed_file(repository_.system(), path, kMaxIndexSize);
  if (!bytes) {
    return fault(MessageId::kIndexFileBad,
                 fmt::format("index file open failed: {}", bytes.error().text()));
  }
  return parse_index_file(*bytes, repository_.hash_kind());
}

Result<IndexFile> IndexChecker::read_shared(const ObjectId& id, const std::string& path,
                                            const std::string& git_dir) {
  const std::string name = "sharedindex." + id.hex();
  std::string file = git_dir + "/" + name;
  if (!repository_.system().status_at(os::kCurrentDirectory, file, true)) {
    // With GIT_INDEX_FILE the shared file may lie beside the index.
    const auto slash = path.rfind('/');
    file = slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
  }
  auto shared = read(file);
  if (!shared) {
    shared.error().text = fmt::format("{}: {}", repository_.shown_path(file), shared.error().text);
    return shared;
  }
  if (shared->checksum != id) {
    return fault(MessageId::kIndexFileBad,
                 fmt::format("broken index, expect {} in {}, got {}", id.hex(),
                             repository_.shown_path(file), shared->checksum.hex()));
  }
  return shared;
}

void IndexChecker::check_entries(const IndexFile& index, const std::string& prefix) {
  for (const IndexEntry& entry : index.entries) {
    if (entry.is_gitlink()) continue;
    // A directory of a sparse index stands for all that is below its tree.
    const ObjectType type = entry.is_sparse_directory() ? ObjectType::kTree : ObjectType::kBlob;
    roots_.add_root(entry.id, type, fmt::format("{}:{}", prefix, entry.path));
  }
}

bool IndexChecker::check_cache_tree(const CacheTree& tree) {
  bool is_sound = true;
  std::vector<bool> skipped(tree.nodes.size(), false);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CacheTreeNode& node = tree.nodes[i];
    if (node.parent != CacheTreeNode::kNoParent && skipped[node.parent]) {
      skipped[i] = true;
      continue;
    }
    if (note_) note_("Checking cache tree of " + shown_);
    if (node.entry_count < 0) continue;
    const auto type = objects_.type_of(node.id);
    if (!type && objects_.is_listed_elsewhere(node.id)) continue;
    if (!type) {
      // git looks no further below a tree that is not there.
      skipped[i] = true;
      is_sound = false;
      Finding found = reporter_.finding(
          MessageId::kInvalidCacheTreePointer,
          fmt::format("{}: invalid sha1 pointer in cache-tree of {}", node.id.hex(), shown_));
      found.oid = node.id;
      if (objects_.is_unreadable(node.id)) found.bit = ExitBit::kBitDies;
      reporter_.report(std::move(found));
      continue;
    }
    roots_.add_root(node.id, ObjectType::kUnknown, ":");
    if (*type != ObjectType::kTree) {
      is_sound = false;
      Finding found = reporter_.finding(MessageId::kNonTreeInCacheTree, "non-tree in cache-tree");
      found.oid = node.id;
      found.object_name = roots_.name_of(node.id);
      found.type = *type;
      reporter_.report(std::move(found));
    }
  }
  return is_sound;
}

// git goes by the cache-tree when it writes the tree of a commit.
void IndexChecker::check_tree_truth(const CacheTree& tree, const IndexTrees& made) {
  // From below: what is wrong there makes all above wrong.
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const CacheTreeNode& node = tree.nodes[i];
    if (node.entry_count < 0) continue;
    const std::string path = tree.path_of(i);
    const auto real = made.find(path);
    std::string wrong;
    if (real == made.end()) {
      wrong = "for which there are no entries";
    } else if (!real->second.is_complete) {
      continue;
    } else if (real->second.id != node.id && !is_spelled_otherwise(node.id, real->second.id)) {
      wrong = fmt::format("but its entries make {}", real->second.id.hex());
    } else if (real->second.entry_count != node.entry_count) {
      wrong = fmt::format("made of {} entries, but there are {}", node.entry_count,
                          real->second.entry_count);
    } else {
      continue;
    }
    Finding found = reporter_.finding(
        MessageId::kCacheTreeUntrue,
        fmt::format("cache-tree of {} names {} for '{}', {}", shown_, node.id.hex(), path, wrong));
    found.oid = node.id;
    reporter_.report(std::move(found));
    return;
  }
}

// git makes a sparse index full before it looks at it, and writes the trees that belong to that.
void IndexChecker::add_expanded(const IndexTrees& made) {
  for (const auto& [path, tree] : made) {
    if (tree.is_complete && objects_.type_of(tree.id)) {
      roots_.add_root(tree.id, ObjectType::kUnknown, ":");
    }
  }
}

void IndexChecker::check_resolve_undo(const IndexFile& index) {
  for (const ResolveUndoEntry& entry : index.resolve_undo) {
    for (std::size_t stage = 0; stage < entry.modes.size(); ++stage) {
      if ((entry.modes[stage] & 0170000) != kRegularFile) continue;
      const ObjectId& id = entry.ids[stage];
      if (!objects_.type_of(id)) {
        if (objects_.is_listed_elsewhere(id)) continue;
        Finding found = reporter_.finding(
            MessageId::kInvalidResolveUndoPointer,
            fmt::format("{}: invalid sha1 pointer in resolve-undo of {}", id.hex(), shown_));
        found.oid = id;
        if (objects_.is_unreadable(id)) found.bit = ExitBit::kBitDies;
        reporter_.report(std::move(found));
        continue;
      }
      roots_.add_root(id, ObjectType::kUnknown, fmt::format(":({}):{}", stage, entry.path));
    }
  }
}

}  // namespace

void check_index_files(const Repository& repository, const ObjectView& objects,
                       const Policy& policy, RootSink& roots, FindingSink& findings,
                       const ReadObject& read, const Note& note) {
  IndexChecker checker(repository, objects, policy, roots, findings, read, note);
  for (const Worktree& worktree : repository.worktrees().worktrees) {
    checker.check_worktree(worktree);
  }
}

}  // namespace assay
