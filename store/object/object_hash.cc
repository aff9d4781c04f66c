#include "store/object/object_hash.h"

#include "store/object/object_header.h"

namespace assay {
namespace {

std::variant<sha1::Hasher, Sha256> make_hasher(HashKind kind, bool detect_collisions) {
  if (kind == HashKind::kSha256) return Sha256();
  return sha1::Hasher(detect_collisions ? sha1::Detect::kOn : sha1::Detect::kOff);
}

}  // namespace

ObjectHasher::ObjectHasher(HashKind kind, bool detect_collisions)
    : kind_(kind), hasher_(make_hasher(kind, detect_collisions)) {}

void ObjectHasher::update(ByteView bytes) {
  if (auto* const sha1 = std::get_if<sha1::Hasher>(&hasher_)) {
    sha1->update(bytes);
  } else {
    std::get_if<Sha256>(&hasher_)->update(bytes);
  }
}

ObjectName ObjectHasher::finish() {
  if (auto* const sha1 = std::get_if<sha1::Hasher>(&hasher_)) {
    const sha1::Result result = sha1->finish();
    return {ObjectId::from_raw(result.digest.data(), kind_), result.collision};
  }
  const Sha256Digest digest = std::get_if<Sha256>(&hasher_)->finish();
  return {ObjectId::from_raw(digest.data(), kind_), false};
}

ObjectName name_object(ObjectType type, ByteView body, HashKind kind) {
  ObjectHasher hasher(kind);
  hasher.update(ObjectHeaderText(type, body.size()).bytes());
  hasher.update(body);
  return hasher.finish();
}

}  // namespace assay
