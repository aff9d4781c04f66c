// Tag: the link and the name of a tag object, read as leniently as git reads them.
//
// The rules about the rest of the header are store/fsck/rules/tag_rules.h.
#pragma once

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/report/fault.h"

namespace assay {

struct Tag {
  ObjectId target;
  ObjectType target_type = ObjectType::kUnknown;  // as declared
  std::string_view name;                          // borrows from the parsed bytes
};

// `self` is the id of the object: it names the hash and appears in git's messages.
// Returns: the tag, or a fault kObjectNotParsed. Its text is git's ("unknown tag type 'T' in OID");
// it is empty for the failures of which git says nothing.
Result<Tag> parse_tag(ByteView body, const ObjectId& self);

}  // namespace assay
