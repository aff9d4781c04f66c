// Where findings about links say that the object lies which holds the link.
#include "store/fsck/object_places.h"

#include <gtest/gtest.h>

#include "tests/support/fsck_repository.h"

namespace assay {
namespace {

using testing::BuiltPack;
using testing::commit_text;
using testing::FsckRepository;
using testing::lines_of;
using testing::PackBuilder;
using testing::tree_text;

class ObjectPlacesTest : public ::testing::Test {
 protected:
  ObjectPlacesTest()
      : content_(tree_text({{"100644", "x", absent_}})),
        tree_(repository_.id_of(ObjectType::kTree, content_)) {
    repository_.ref("heads/main", repository_.commit(tree_));
  }
  // A pack with a blob and then the tree, as `content`, whatever that is.
  BuiltPack pack_of(ByteView content) const {
    PackBuilder builder;
    builder.add_blob("before it");
    builder.add(ObjectType::kTree, content);
    builder.entry(1).id = tree_;
    return builder.build();
  }
  // The only finding of the kind.
  static Finding only(const FsckReport& report, MessageId id) {
    std::vector<Finding> found;
    for (const Finding& finding : report.findings) {
      if (finding.id == id) found.push_back(finding);
    }
    EXPECT_EQ(1u, found.size()) << message(id).name;
    return found.empty() ? Finding() : found[0];
  }
  Finding broken_link() const {
    Finding finding = only(repository_.check(), MessageId::kBrokenLink);
    EXPECT_EQ(tree_, finding.from);
    EXPECT_EQ(absent_, finding.oid);
    return finding;
  }

  FsckRepository repository_;
  const ObjectId absent_ = *ObjectId::from_hex(std::string(40, 'e'), HashKind::kSha1);
  Bytes content_;
  ObjectId tree_;
};

TEST_F(ObjectPlacesTest, ALooseParentHasItsOwnFile) {
  repository_.put(ObjectType::kTree, content_);
  const Finding link = broken_link();
  EXPECT_EQ(".git/" + repository_.object_path(tree_), link.file);
  EXPECT_EQ(Fault::kNoOffset, link.offset);
}

TEST_F(ObjectPlacesTest, APackedParentHasItsPackAndOffset) {
  const BuiltPack pack = pack_of(content_);
  repository_.add_pack(pack, "p");
  repository_.put(ObjectType::kTree, content_);  // git reads packs first
  const Finding link = broken_link();
  EXPECT_EQ(".git/objects/pack/pack-p.pack", link.file);
  EXPECT_EQ(pack.offsets[1], link.offset);
}

TEST_F(ObjectPlacesTest, AnAlternateIsNamedAsGitShowsIt) {
  const std::string other = repository_.files().path("other");
  for (const bool packed : {false, true}) {
    repository_.files().write("objects/info/alternates", other + "\n");
    const std::string loose = "/" + loose_file_path(tree_);
    if (packed) {
      std::filesystem::remove(other + loose);
      pack_of(content_).write(repository_.files().root(), "other/pack/pack-q");
    } else {
      repository_.put(ObjectType::kTree, content_);
      std::filesystem::create_directories(std::filesystem::path(other + loose).parent_path());
      std::filesystem::rename(repository_.files().git_dir() + "/" + repository_.object_path(tree_),
                              other + loose);
    }
    EXPECT_EQ(packed ? other + "/pack/pack-q.pack" : other + loose, broken_link().file);
  }
}

TEST_F(ObjectPlacesTest, ADamagedCopyIsPassedOver) {
  // What a copy says that is not the object is not what the link was read from.
  repository_.add_pack(pack_of(tree_text({})), "a");
  const BuiltPack good = pack_of(content_);
  repository_.add_pack(good, "b");
  const Finding packed = broken_link();
  EXPECT_EQ(".git/objects/pack/pack-b.pack", packed.file);
  EXPECT_EQ(good.offsets[1], packed.offset);
  std::filesystem::remove(repository_.files().git_dir() + "/objects/pack/pack-b.pack");
  std::filesystem::remove(repository_.files().git_dir() + "/objects/pack/pack-b.idx");
  repository_.put(ObjectType::kTree, content_);
  EXPECT_EQ(".git/" + repository_.object_path(tree_), broken_link().file);
}

TEST_F(ObjectPlacesTest, AnEntryWithoutAHeaderIsPassedOver) {
  PackBuilder builder;
  builder.add(ObjectType::kTree, content_);
  builder.entry(0).kind = 5;  // there is no such kind
  repository_.add_pack(builder.build(), "a");
  repository_.put(ObjectType::kTree, content_);
  EXPECT_EQ(".git/" + repository_.object_path(tree_), broken_link().file);
}

TEST_F(ObjectPlacesTest, OfBadCopiesTheFirstIsNamed) {
  const ObjectId blob = repository_.id_of(ObjectType::kBlob, as_bytes("[submodule]"));
  repository_.ref("heads/main",
                  repository_.commit(repository_.tree({{"100644", ".gitmodules", blob}})));
  repository_.put_file(blob, Bytes{'x'});
  EXPECT_EQ(".git/" + repository_.object_path(blob),
            only(repository_.check(), MessageId::kGitmodulesMissing).file);
  PackBuilder builder;
  builder.add_blob("not it");
  builder.entry(0).id = blob;
  builder.entry(0).stream = Bytes{'x'};
  const BuiltPack pack = builder.build();
  for (const char* name : {"b", "a"}) {
    repository_.add_pack(pack, name);
    const Finding found = only(repository_.check(), MessageId::kGitmodulesMissing);
    EXPECT_EQ(std::string(".git/objects/pack/pack-") + name + ".pack", found.file);
    EXPECT_EQ(pack.offsets[0], found.offset);
  }
}

TEST_F(ObjectPlacesTest, WhatConnectivityCannotReadHasItsPlace) {
  repository_.put_file(tree_, Bytes{'x'});
  FsckOptions options = repository_.options();
  options.connectivity_only = true;
  const Finding found = only(repository_.check(options), MessageId::kObjectCorrupt);
  EXPECT_EQ(tree_, found.oid);
  EXPECT_EQ(".git/" + repository_.object_path(tree_), found.file);
}

TEST_F(ObjectPlacesTest, AParentOfSomethingOfAnotherTypeHasItsPlace) {
  const ObjectId blob = repository_.blob("content");
  const Bytes liar = tree_text({{"40000", "x", blob}});
  const ObjectId id = repository_.put(ObjectType::kTree, liar);
  repository_.ref("heads/main", repository_.commit(id));
  FsckReport report = repository_.check();
  for (const MessageId which : {MessageId::kBrokenLinks, MessageId::kBrokenLink}) {
    EXPECT_EQ(".git/" + repository_.object_path(id), only(report, which).file);
  }
  PackBuilder builder;
  builder.add_blob("before it");
  builder.add(ObjectType::kTree, liar);
  const BuiltPack pack = builder.build();
  repository_.remove(id);
  repository_.add_pack(pack, "p");
  report = repository_.check();
  for (const MessageId which : {MessageId::kBrokenLinks, MessageId::kBrokenLink}) {
    EXPECT_EQ(".git/objects/pack/pack-p.pack", only(report, which).file);
    EXPECT_EQ(pack.offsets[1], only(report, which).offset);
  }
}

TEST_F(ObjectPlacesTest, WhatIsMissingLiesNowhere) {
  repository_.put(ObjectType::kTree, content_);
  EXPECT_EQ("", only(repository_.check(), MessageId::kMissing).file);
}

}  // namespace
}  // namespace assay
