// Names of objects as people write them: full ids, abbreviations, refs, and steps from there.
//
// Understood: a full id (the object need not exist), a ref by the rules of git-rev-parse(1)
// (HEAD, main, tags/v1, refs/...), "@", the beginning of an id (4 digits or more) that only one
// object has, and after each of them ^{TYPE}, ^{}, ^N, ~N, and :PATH at the end. Not understood:
// @{...}, :/TEXT, ^{/TEXT}, names that git-describe makes.
//
// Thread safety: none; one ObjectNames a thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/repository.h"

namespace assay {

struct NamedObject {
  enum class State : std::uint8_t { kFound, kUnknown, kAmbiguous };
  State state = State::kUnknown;
  ObjectId id;
  std::vector<ObjectId> candidates;   // of an ambiguous abbreviation
  std::optional<std::uint32_t> mode;  // of the tree entry that :PATH led to
};

class ObjectNames {
 public:
  // Both must outlive it. `reader` is used between its owner's own calls.
  ObjectNames(const ObjectStore& store, ObjectReader& reader) : store_(store), reader_(reader) {}

  NamedObject resolve(std::string_view name);

  // Follows tags, and commits to their trees, until an object of the wanted type; kUnknown stands
  // for anything that is no tag. Returns: nothing when there is none on the way.
  std::optional<ObjectId> peel(ObjectId id, ObjectType wanted);

 private:
  NamedObject resolve_revision(std::string_view name);
  NamedObject resolve_basic(std::string_view name);
  std::optional<ObjectId> parent(const ObjectId& id, std::uint64_t number);
  NamedObject entry_of(const ObjectId& tree, std::string_view path);

  const ObjectStore& store_;
  ObjectReader& reader_;
  std::optional<RefStore> refs_;
};

}  // namespace assay
