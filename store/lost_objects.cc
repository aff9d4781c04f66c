#include "store/lost_objects.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "store/object/commit.h"
#include "store/object/tag.h"
#include "store/object/tree_entry.h"

namespace assay {
namespace {

constexpr int kMaxTagDepth = 10;
constexpr std::size_t kMaxPathSize = std::size_t{64} << 10;

using IdSet = std::unordered_set<ObjectId, ObjectIdHash>;
template <typename Value>
using IdMap = std::unordered_map<ObjectId, Value, ObjectIdHash>;

class LossWalk {
 public:
  LossWalk(const ObjectStore& store, const LostObjectLimits& limits, LostObjects& result)
      : store_(store), limits_(limits), result_(result), reader_(store.objects()) {}

  void run() {
    start();
    while (!waiting_.empty() && unexplained_ > 0 && result_.complete) {
      const Waiting next = waiting_.top();
      waiting_.pop();
      visit(next);
    }
    name_refs();
  }

 private:
  struct Waiting {
    std::uint64_t time = 0;
    ObjectId id;
    ObjectId tree;
    std::vector<ObjectId> parents;
    // The newest is on top; ids decide between equals, so that every run walks alike.
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return std::pair(a.time, a.id) < std::pair(b.time, b.id);
    }
  };
  struct Subtree {
    ObjectId id;
    std::string path;
  };

  std::optional<ObjectReader::Object> read(const ObjectId& id) {
    // A search for what is not there would list the packs again each time.
    const auto lost = result_.objects.find(id);
    if (lost != result_.objects.end() && !lost->second.good_copy) return std::nullopt;
    if (read_objects_ >= limits_.read_objects) {
      result_.complete = false;
      return std::nullopt;
    }
    ++read_objects_;
    auto object = reader_.read(id, limits_.object_size);
    if (!object) return std::nullopt;
    return std::move(*object);
  }

  // Returns: the object when it is lost and nothing is known of it yet.
  LostObject* unexplained(const ObjectId& id) {
    const auto found = result_.objects.find(id);
    if (found == result_.objects.end() || explained_.contains(id)) return nullptr;
    return &found->second;
  }
  void explain(LostObject& object, const ObjectId& id, const std::optional<ObjectId>& commit,
               std::optional<std::string> path) {
    object.commit = commit;
    object.path = std::move(path);
    explained_.insert(id);
    --unexplained_;
  }

  void start() {
    unexplained_ = result_.objects.size();
    const RefStore refs = store_.repository().refs();
    std::vector<Ref> all = refs.refs();
    if (auto head = refs.find("HEAD")) all.push_back(std::move(*head));
    for (const Ref& ref : all) {
      if (!ref.broken && !ref.dangling) start_at(ref.id, ref.name, 0);
    }
  }

  // What a ref or a tag leads to.
  void start_at(const ObjectId& id, const std::string& ref, int depth) {
    refs_of_[id].insert(ref);
    if (LostObject* lost = unexplained(id)) explain(*lost, id, std::nullopt, std::nullopt);
    if (seen_.contains(id)) return;
    const auto object = read(id);
    if (!object) return;
    if (object->type == ObjectType::kTag) {
      const auto tag = parse_tag(object->content, id);
      if (tag && depth < kMaxTagDepth) start_at(tag->target, ref, depth + 1);
    } else if (object->type == ObjectType::kCommit) {
      add_commit(id, object->content);
    } else if (object->type == ObjectType::kTree) {
      walk_tree(id, std::nullopt);
    }
  }

  void add_commit(const ObjectId& id, ByteView content) {
    seen_.insert(id);
    auto commit = parse_commit(content, id);
    if (!commit) return;
    links_ += commit->parents.size();
    if (links_ > limits_.links) {
      result_.complete = false;
      return;
    }
    waiting_.push({commit->commit_time, id, commit->tree, std::move(commit->parents)});
  }

  void visit(const Waiting& commit) {
    walk_tree(commit.tree, commit.id);
    for (const ObjectId& parent : commit.parents) {
      children_[parent].push_back(commit.id);
      if (LostObject* lost = unexplained(parent)) explain(*lost, parent, commit.id, std::nullopt);
      if (seen_.contains(parent)) continue;
      const auto object = read(parent);
      if (object && object->type == ObjectType::kCommit) add_commit(parent, object->content);
    }
  }

  void walk_tree(const ObjectId& root, const std::optional<ObjectId>& commit) {
    if (LostObject* lost = unexplained(root)) explain(*lost, root, commit, "");
    std::vector<Subtree> trees = {{root, ""}};
    path_bytes_ = 0;
    while (!trees.empty() && unexplained_ > 0) {
      const Subtree tree = std::move(trees.back());
      trees.pop_back();
      path_bytes_ -= tree.path.size();
      if (!seen_.insert(tree.id).second) continue;
      const auto object = read(tree.id);
      if (object && object->type == ObjectType::kTree) {
        walk_entries(object->content, tree.path, commit, trees);
      }
    }
  }

  void walk_entries(ByteView content, const std::string& above,
                    const std::optional<ObjectId>& commit, std::vector<Subtree>& trees) {
    TreeEntry entry;
    for (; parse_tree_entry(content, store_.hash_kind(), entry);
         content = content.subspan(entry.size)) {
      const TreeObjectKind kind = entry_kind(entry.mode);
      if (kind == TreeObjectKind::kGitlink) continue;
      const ObjectId id = ObjectId::from_raw(entry.id, store_.hash_kind());
      LostObject* const lost = unexplained(id);
      const bool descend = kind == TreeObjectKind::kTree && !seen_.contains(id);
      if (lost == nullptr && !descend) continue;
      if (above.size() + entry.name.size() > kMaxPathSize) continue;
      std::string path = above.empty() ? "" : above + "/";
      path += entry.name;
      if (lost != nullptr) explain(*lost, id, commit, path);
      if (!descend) continue;
      if (path_bytes_ + path.size() > limits_.path_bytes) {
        result_.complete = false;
        continue;
      }
      path_bytes_ += path.size();
      trees.push_back({id, std::move(path)});
    }
  }

  // The refs that lead to each object: those of its commit and of all that descend from it.
  void name_refs() {
    struct Names {
      std::vector<std::string> first;
      std::size_t count = 0;
    };
    IdMap<Names> known;
    for (auto& [id, lost] : result_.objects) {
      if (!explained_.contains(id)) continue;
      const ObjectId from = lost.commit.value_or(id);
      auto [found, added] = known.try_emplace(from);
      if (added) {
        const std::set<std::string> all = refs_above(from);
        found->second.count = all.size();
        for (const std::string& ref : all) {
          if (found->second.first.size() == limits_.refs) break;
          found->second.first.push_back(ref);
        }
      }
      lost.refs = found->second.first;
      lost.ref_count = found->second.count;
    }
  }

  // Returns: none when the walk would take too long: a part of them would look like all.
  std::set<std::string> refs_above(const ObjectId& from) {
    std::set<std::string> refs;
    IdSet met = {from};
    std::deque<ObjectId> todo = {from};
    const auto spend = [this](std::size_t steps) {
      if (steps_left_ >= steps) {
        steps_left_ -= steps;
        return true;
      }
      steps_left_ = 0;
      result_.complete = false;
      return false;
    };
    while (!todo.empty()) {
      const ObjectId id = todo.front();
      todo.pop_front();
      if (const auto found = refs_of_.find(id); found != refs_of_.end()) {
        if (!spend(found->second.size())) return {};
        refs.insert(found->second.begin(), found->second.end());
      }
      const auto children = children_.find(id);
      if (children == children_.end()) continue;
      if (!spend(children->second.size())) return {};
      for (const ObjectId& child : children->second) {
        if (met.insert(child).second) todo.push_back(child);
      }
    }
    return refs;
  }

  const ObjectStore& store_;
  const LostObjectLimits& limits_;
  LostObjects& result_;
  ObjectReader reader_;
  std::priority_queue<Waiting> waiting_;
  IdSet seen_;  // commits that were added, trees that were entered
  IdSet explained_;
  IdMap<std::vector<ObjectId>> children_;
  IdMap<std::set<std::string>> refs_of_;
  std::size_t unexplained_ = 0;
  std::size_t read_objects_ = 0;
  std::size_t links_ = 0;
  std::size_t path_bytes_ = 0;  // of the trees that wait
  std::size_t steps_left_ = limits_.steps;
};

}  // namespace

LostObjects explain_lost_objects(const ObjectStore& store, std::span<const ObjectId> lost,
                                 const LostObjectLimits& limits) {
  LostObjects result;
  for (const ObjectId& id : lost) {
    if (result.objects.size() == limits.lost && !result.objects.contains(id)) {
      result.complete = false;
      continue;
    }
    result.objects.try_emplace(id);
  }
  ObjectReader reader(store.objects());
  for (auto& [id, object] : result.objects) {
    const auto ignore_begin = [](ObjectType, std::uint64_t) {};
    const auto ignore = [](ByteView) {};
    object.good_copy = reader.stream(id, ignore_begin, ignore).has_value();
  }
  const bool all = std::exchange(result.complete, true);
  LossWalk(store, limits, result).run();
  result.complete = result.complete && all;
  return result;
}

}  // namespace assay
