#include "store/object_names.h"

#include <algorithm>
#include <charconv>

#include "store/object/commit.h"
#include "store/object/tag.h"
#include "store/object/tree_entry.h"

namespace assay {
namespace {

// Trees, commits and tags above this are not followed.
constexpr std::uint64_t kLargestFollowed = std::uint64_t{1} << 30;
constexpr std::size_t kShortestAbbreviation = 4;

NamedObject found(const ObjectId& id) { return {NamedObject::State::kFound, id, {}, {}}; }

NamedObject found_or_not(const std::optional<ObjectId>& id) {
  return id ? found(*id) : NamedObject{};
}

// Splits "NAME~12" or "NAME^2" into name and number; a missing number is 1.
std::optional<std::pair<std::string_view, std::uint64_t>> split_step(std::string_view name,
                                                                     char step) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || name[digits] != step) return std::nullopt;
  std::uint64_t number = 1;
  const std::string_view text = name.substr(digits + 1);
  if (!text.empty()) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc()) return std::nullopt;
  }
  return std::pair{name.substr(0, digits), number};
}

}  // namespace

NamedObject ObjectNames::resolve(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return resolve_revision(name);
  const NamedObject revision = resolve_revision(name.substr(0, colon));
  if (revision.state != NamedObject::State::kFound) return revision;
  const auto tree = peel(revision.id, ObjectType::kTree);
  return tree ? entry_of(*tree, name.substr(colon + 1)) : NamedObject{};
}

NamedObject ObjectNames::resolve_revision(std::string_view name) {
  if (name.ends_with('}')) {
    const std::size_t brace = name.rfind("^{");
    if (brace == std::string_view::npos) return {};
    const NamedObject base = resolve_revision(name.substr(0, brace));
    if (base.state != NamedObject::State::kFound) return base;
    const std::string_view word = name.substr(brace + 2, name.size() - brace - 3);
    if (word == "object") return reader_.contains(base.id) ? base : NamedObject{};
    if (word.empty()) return found_or_not(peel(base.id, ObjectType::kUnknown));
    const auto type = parse_type_name(word);
    return type ? found_or_not(peel(base.id, *type)) : NamedObject{};
  }
  if (const auto step = split_step(name, '^'); step && !step->first.empty()) {
    const NamedObject base = resolve_revision(step->first);
    if (base.state != NamedObject::State::kFound) return base;
    return found_or_not(parent(base.id, step->second));
  }
  if (const auto step = split_step(name, '~'); step && !step->first.empty()) {
    const NamedObject base = resolve_revision(step->first);
    if (base.state != NamedObject::State::kFound) return base;
    std::optional<ObjectId> id = peel(base.id, ObjectType::kCommit);
    for (std::uint64_t i = 0; id && i < step->second; ++i) id = parent(*id, 1);
    return found_or_not(id);
  }
  return resolve_basic(name);
}

NamedObject ObjectNames::resolve_basic(std::string_view name) {
  if (const auto id = ObjectId::from_hex(name, store_.hash_kind())) return found(*id);
  if (name.empty()) return {};
  if (!refs_) refs_ = store_.repository().refs();
  const std::string_view ref_name = name == "@" ? std::string_view("HEAD") : name;
  const auto ref = refs_->resolve(ref_name);
  if (ref && !ref->broken && !ref->dangling) return found(ref->id);
  if (name.size() < kShortestAbbreviation) return {};
  std::vector<ObjectId> ids = store_.objects().find_prefix(name);
  if (ids.empty()) return {};
  if (ids.size() == 1) return found(ids[0]);
  return {NamedObject::State::kAmbiguous, {}, std::move(ids), {}};
}

std::optional<ObjectId> ObjectNames::peel(ObjectId id, ObjectType wanted) {
  for (;;) {
    const auto info = reader_.info(id);
    if (!info) return std::nullopt;
    if (info->type == wanted) return id;
    if (wanted == ObjectType::kUnknown && info->type != ObjectType::kTag) return id;
    const bool leads_on = info->type == ObjectType::kTag ||
                          (info->type == ObjectType::kCommit && wanted == ObjectType::kTree);
    if (!leads_on) return std::nullopt;
    const auto object = reader_.read(id, kLargestFollowed);
    if (!object) return std::nullopt;
    if (object->type == ObjectType::kTag) {
      const auto tag = parse_tag(object->content, id);
      if (!tag) return std::nullopt;
      id = tag->target;
    } else {
      const auto commit = parse_commit(object->content, id);
      if (!commit) return std::nullopt;
      id = commit->tree;
    }
  }
}

std::optional<ObjectId> ObjectNames::parent(const ObjectId& id, std::uint64_t number) {
  const auto commit_id = peel(id, ObjectType::kCommit);
  if (!commit_id || number == 0) return commit_id;
  const auto object = reader_.read(*commit_id, kLargestFollowed);
  if (!object) return std::nullopt;
  const auto commit = parse_commit(object->content, *commit_id);
  if (!commit || number > commit->parents.size()) return std::nullopt;
  return commit->parents[static_cast<std::size_t>(number - 1)];
}

NamedObject ObjectNames::entry_of(const ObjectId& tree, std::string_view path) {
  NamedObject result = found(tree);
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view wanted = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    const auto object = reader_.read(result.id, kLargestFollowed);
    if (!object || object->type != ObjectType::kTree) return {};
    ByteView rest = object->content;
    TreeEntry entry;
    do {
      if (rest.empty() || !parse_tree_entry(rest, store_.hash_kind(), entry)) return {};
      rest = rest.subspan(entry.size);
    } while (entry.name != wanted);
    result.id = ObjectId::from_raw(entry.id, store_.hash_kind());
    result.mode = entry.mode;
  }
  return result;
}

}  // namespace assay
