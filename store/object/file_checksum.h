// The checksum that ends nearly every file git writes beside objects: pack indexes, reverse
// indexes, bitmaps, commit-graphs, multi-pack-indexes. It is the hash of all bytes before it.
#pragma once

#include "store/base/object_id.h"

namespace assay {

// Returns: the last bytes of the file, as many as the hash has. Requires: the file is that long.
inline ByteView stored_checksum(ByteView file, HashKind kind) { return file.last(id_size(kind)); }

// Returns: true when the file ends in the hash of what stands before. A file that is shorter than
// a checksum has none.
bool checksum_holds(ByteView file, HashKind kind);

}  // namespace assay
