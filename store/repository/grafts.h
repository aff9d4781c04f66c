// The file info/grafts: commits with other parents than they name (gitrepository-layout(5)).
//
// A line: the id of a commit, then those of its parents, one blank between; `#` begins a comment
// line. A bad line is skipped and reported as git does.
#pragma once

#include <unordered_map>
#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

// Commits with the parents that are to be taken as theirs.
using CommitParents = std::unordered_map<ObjectId, std::vector<ObjectId>, ObjectIdHash>;

// A shallow commit has no parents, whatever a graft says of it.
struct Grafts {
  CommitParents parents;
  std::vector<Fault> problems;  // "bad graft data: LINE", "duplicate graft data: LINE"
};

Grafts parse_grafts(ByteView bytes, HashKind kind);

}  // namespace assay
