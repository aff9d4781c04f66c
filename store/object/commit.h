// Commit: the links and the time of a commit object, read as leniently as git reads them.
//
// What makes a commit readable is little: a tree line and well-formed parent lines. The rules about
// the rest of the header are store/fsck/rules/commit_rules.h.
#pragma once

#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

struct Commit {
  ObjectId tree;
  std::vector<ObjectId> parents;  // in the order of the lines, duplicates kept
  std::uint64_t commit_time = 0;  // seconds since 1970; 0 when the committer line has none
};

// `self` is the id of the object: it names the hash and appears in git's messages.
// Returns: the commit, or a fault kObjectNotParsed with git's own words ("bogus commit object OID",
// "bad tree pointer in commit OID", "bad parents in commit OID") as its text.
Result<Commit> parse_commit(ByteView body, const ObjectId& self);

}  // namespace assay
