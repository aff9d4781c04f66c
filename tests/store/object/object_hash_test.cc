#include "store/object/object_hash.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ObjectHash, KnownNames) {
  EXPECT_EQ(name_object(ObjectType::kBlob, {}, HashKind::kSha1).id.hex(),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(name_object(ObjectType::kTree, {}, HashKind::kSha1).id, empty_tree_id(HashKind::kSha1));
  EXPECT_EQ(name_object(ObjectType::kBlob, {}, HashKind::kSha256).id.hex(),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
  EXPECT_EQ(name_object(ObjectType::kTree, {}, HashKind::kSha256).id.hex(),
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321");
  // printf 'test content\n' | git hash-object --stdin
  EXPECT_EQ(name_object(ObjectType::kBlob, as_bytes("test content\n"), HashKind::kSha1).id.hex(),
            "d670460b4b4aece5915caf5c68d12f560a9fe3e4");
  EXPECT_FALSE(name_object(ObjectType::kBlob, {}, HashKind::kSha1).collision);
}

TEST(ObjectHash, PiecesAndReuse) {
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    ObjectHasher hasher(kind);
    EXPECT_EQ(hasher.kind(), kind);
    for (int round = 0; round < 2; ++round) {
      hasher.update(as_bytes("blob 1"));
      hasher.update({});
      hasher.update(as_bytes(std::string_view("3\0test content\n", 15)));
      EXPECT_EQ(hasher.finish().id,
                name_object(ObjectType::kBlob, as_bytes("test content\n"), kind).id);
    }
  }
}

}  // namespace
}  // namespace assay
