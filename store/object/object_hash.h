// Object hash: one interface over SHA-1 and SHA-256, and the naming of whole objects.
//
// For many objects at once use sha1/batch.h. Thread safety: distinct hashers may be used from
// distinct threads.
#pragma once

#include <variant>

#include "sha1/sha1.h"
#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/object/sha256.h"

namespace assay {

struct ObjectName {
  ObjectId id;
  // True when the message carries a SHA-1 collision attack; the id is that of the message anyway.
  bool collision = false;
};

// Hashes a message that arrives in pieces.
class ObjectHasher {
 public:
  // `detect_collisions` means nothing for SHA-256.
  explicit ObjectHasher(HashKind kind, bool detect_collisions = true);

  HashKind kind() const { return kind_; }
  void update(ByteView bytes);
  // Ends the message. The object is then as newly made.
  ObjectName finish();

 private:
  HashKind kind_;
  std::variant<sha1::Hasher, Sha256> hasher_;
};

// Returns: the name of the object with this type and body.
// Requires: type is one of the four types.
ObjectName name_object(ObjectType type, ByteView body, HashKind kind);

}  // namespace assay
