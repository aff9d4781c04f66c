// Loose object files made by hand: any header, any compression, under any name.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>

#include "store/loose/loose_directory.h"
#include "store/object/object_hash.h"
#include "tests/support/temporary_directory.h"

namespace assay::testing {

// Returns: the text as a zlib stream.
inline std::string deflated(std::string_view text, int level = 1) {
  std::string out(compressBound(text.size()), '\0');
  uLongf size = out.size();
  EXPECT_EQ(Z_OK, compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                            reinterpret_cast<const Bytef*>(text.data()), text.size(), level));
  out.resize(size);
  return out;
}

inline std::string with_header(std::string_view type, std::string_view content) {
  std::string text(type);
  text += ' ' + std::to_string(content.size()) + '\0';
  return text.append(content);
}

// The id that the bytes (with their header) have.
inline ObjectId id_of(std::string_view text) {
  ObjectHasher hasher(HashKind::kSha1);
  hasher.update(as_bytes(text));
  return hasher.finish().id;
}

// Stores the bytes of a file under the name of `id` in the objects directory `objects`.
inline void put_file(const TemporaryDirectory& root, const ObjectId& id, std::string_view bytes,
                     std::string_view objects = "objects") {
  root.write(std::string(objects) + "/" + loose_file_path(id), bytes);
}

// Stores a sound object. Returns: its id.
inline ObjectId put_object(const TemporaryDirectory& root, std::string_view type,
                           std::string_view content, std::string_view objects = "objects") {
  const std::string text = with_header(type, content);
  const ObjectId id = id_of(text);
  put_file(root, id, deflated(text), objects);
  return id;
}

}  // namespace assay::testing
