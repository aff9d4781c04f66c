// The links of one object, read from its bytes: for the few occasions when what the verifiers
// entered into the ledger does not tell enough.
#pragma once

#include <string>
#include <vector>

#include "store/fsck/copy_reader.h"
#include "store/fsck/object_verifier.h"
#include "store/repository/grafts.h"

namespace assay {

struct ObjectLink {
  ObjectId target;
  ObjectType type = ObjectType::kUnknown;  // as the link says
  std::string name;                        // of a tree entry
};

// Returns: the links in git's order: entries of a tree without gitlinks, up to the first that
// cannot be read; tree and parents of a commit, replaced ones where `parents` has them; the target
// of a tag. Nothing for an object of which no copy is good.
std::vector<ObjectLink> read_links(CopyReader& reader, const ObjectId& id, std::uint32_t number,
                                   HashKind kind, const CommitParents& parents);

// As git's own parsers judge it. Trees are not parsed before they are walked.
bool can_be_parsed(const CopyReader::Object& object, const ObjectId& id);
// Returns: why not, in git's words; empty also when git says nothing.
std::string parse_problem(const CopyReader::Object& object, const ObjectId& id);

}  // namespace assay
