#include "store/fsck/kept_trees.h"

#include "store/object/object_hash.h"
#include "store/object/tree_entry.h"
#include "store/object/tree_writer.h"

namespace assay {
namespace {

constexpr int kMaxDepth = 500;
constexpr std::size_t kMaxTrees = 200'000;

std::uint32_t kept_mode(std::uint32_t mode) {
  const std::uint32_t type = mode & kModeTypeMask;
  if (type == kModeDirectory || type == kModeSymlink) return type;
  if (type != kModeRegular) return kModeGitlink;
  return (mode & 0100) != 0 ? 0100755 : 0100644;
}

}  // namespace

std::optional<ObjectId> KeptTrees::id_of(const ObjectId& tree, int depth) {
  if (depth > kMaxDepth) return std::nullopt;
  if (const auto found = known_.find(tree); found != known_.end()) return found->second;
  if (known_.size() == kMaxTrees) return std::nullopt;
  const auto made = make(tree, depth);
  known_.emplace(tree, made);
  return made;
}

std::optional<ObjectId> KeptTrees::make(const ObjectId& tree, int depth) {
  const auto object = read_(tree);
  if (!object || object->type != ObjectType::kTree) return std::nullopt;
  Bytes body;
  ByteView rest = object->bytes;
  TreeEntry entry;
  for (; parse_tree_entry(rest, kind_, entry); rest = rest.subspan(entry.size)) {
    ObjectId id = ObjectId::from_raw(entry.id, kind_);
    const std::uint32_t mode = kept_mode(entry.mode);
    if (mode == kModeDirectory) {
      const auto below = id_of(id, depth + 1);
      if (!below) return std::nullopt;
      id = *below;
    }
    append_tree_entry(body, mode, entry.name, id);
  }
  if (!rest.empty()) return std::nullopt;
  return name_object(ObjectType::kTree, body, kind_).id;
}

}  // namespace assay
