#include "store/fsck/object_links.h"

#include "store/object/commit.h"
#include "store/object/tag.h"
#include "store/object/tree_entry.h"

namespace assay {
namespace {

std::vector<ObjectLink> links_of_tree(ByteView body, HashKind kind) {
  std::vector<ObjectLink> links;
  TreeEntry entry;
  for (std::size_t at = 0; at < body.size(); at += entry.size) {
    if (!parse_tree_entry(body.subspan(at), kind, entry)) break;
    const TreeObjectKind target = entry_kind(entry.mode);
    if (target == TreeObjectKind::kGitlink) continue;
    links.push_back({ObjectId::from_raw(entry.id, kind),
                     target == TreeObjectKind::kTree ? ObjectType::kTree : ObjectType::kBlob,
                     std::string(entry.name)});
  }
  return links;
}

}  // namespace

bool can_be_parsed(const CopyReader::Object& object, const ObjectId& id) {
  if (object.type == ObjectType::kCommit) return parse_commit(object.bytes, id).has_value();
  if (object.type == ObjectType::kTag) return parse_tag(object.bytes, id).has_value();
  return true;
}

std::string parse_problem(const CopyReader::Object& object, const ObjectId& id) {
  if (object.type == ObjectType::kCommit) {
    const auto commit = parse_commit(object.bytes, id);
    if (!commit) return commit.error().text;
  } else if (object.type == ObjectType::kTag) {
    const auto tag = parse_tag(object.bytes, id);
    if (!tag) return tag.error().text;
  }
  return {};
}

std::vector<ObjectLink> read_links(CopyReader& reader, const ObjectId& id, std::uint32_t number,
                                   HashKind kind, const CommitParents& parents) {
  std::vector<ObjectLink> links;
  const auto object = reader.read(number);
  if (!object) return links;
  if (object->type == ObjectType::kTree) return links_of_tree(object->bytes, kind);
  if (object->type == ObjectType::kCommit) {
    const auto commit = parse_commit(object->bytes, id);
    if (!commit) return links;
    links.push_back({commit->tree, ObjectType::kTree, {}});
    const auto replaced = parents.find(id);
    for (const ObjectId& parent : replaced != parents.end() ? replaced->second : commit->parents) {
      links.push_back({parent, ObjectType::kCommit, {}});
    }
  } else if (object->type == ObjectType::kTag) {
    const auto tag = parse_tag(object->bytes, id);
    if (tag) links.push_back({tag->target, tag->target_type, {}});
  }
  return links;
}

}  // namespace assay
