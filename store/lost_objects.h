// The door to what a lost object means for people: where it stood, who used it, what is left of it.
//
// Walks from the refs, newest commit first, until it has met all lost objects or its limits. Trees
// are looked at once, so the cost is bounded by the number of objects, whatever the number of
// paths; a hostile repository meets the limits of time and memory below. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/repository.h"

namespace assay {

struct LostObjectLimits {
  std::size_t lost = 1000;                              // objects that are looked for
  std::size_t read_objects = 100'000;                   // commits, trees and tags that are read
  std::size_t links = 1'000'000;                        // parents of commits that are remembered
  std::size_t path_bytes = std::size_t{32} << 20;       // of trees that wait to be read
  std::size_t steps = 2'000'000;                        // from commits to the refs above them
  std::uint64_t object_size = std::uint64_t{64} << 20;  // larger ones are passed over
  std::size_t refs = 10;                                // named for each object
};

struct LostObject {
  std::optional<ObjectId> commit;   // the newest commit that holds it, or that names it as parent
  std::optional<std::string> path;  // in that commit, of a blob or tree; the top tree has ""
  std::vector<std::string> refs;    // by name, from which it is reached; the first of `ref_count`
  std::size_t ref_count = 0;
  bool good_copy = false;  // a sound copy lies somewhere: pack, loose, alternate
};

struct LostObjects {
  std::map<ObjectId, LostObject> objects;
  bool complete = true;  // false: a limit was reached, more may be known of some
};

// Objects that no ref reaches (only a reflog or index file, or nobody) have neither commit nor
// refs.
LostObjects explain_lost_objects(const ObjectStore& store, std::span<const ObjectId> lost,
                                 const LostObjectLimits& limits = {});

}  // namespace assay
