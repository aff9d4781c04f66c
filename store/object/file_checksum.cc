#include "store/object/file_checksum.h"

#include <cstring>

#include "store/object/object_hash.h"

namespace assay {

bool checksum_holds(ByteView file, HashKind kind) {
  const std::size_t size = id_size(kind);
  if (file.size() < size) return false;
  // Collision attacks aim at objects: a file that is not addressed by its hash is hashed plainly.
  ObjectHasher hasher(kind, false);
  hasher.update(file.first(file.size() - size));
  return std::memcmp(hasher.finish().id.data(), file.data() + file.size() - size, size) == 0;
}

}  // namespace assay
