#include "store/odb/object_database.h"

#include <gtest/gtest.h>

#include "tests/support/failing_system.h"
#include "tests/support/small_pack.h"

namespace assay {
namespace {

using testing::id_of;
using testing::put_object;
using testing::with_header;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 24;

class ObjectDatabaseTest : public ::testing::Test {
 protected:
  ObjectDatabaseTest() {
    std::filesystem::create_directories(root_.path("main"));
    std::filesystem::create_directories(root_.path("other"));
  }
  // The database of both directories.
  ObjectDatabase& database() {
    if (!database_) {
      database_.emplace(
          system_, std::vector<ObjectSource>{{root_.path("main"), "M"}, {root_.path("other"), "O"}},
          HashKind::kSha1);
    }
    return *database_;
  }
  ObjectReader& reader() {
    if (!reader_) reader_.emplace(database());
    return *reader_;
  }
  ObjectId put_packed(std::string_view content, const std::string& directory,
                      const std::string& name) {
    testing::SmallPack pack;
    pack.add_blob(content);
    pack.write(root_, directory, name);
    return id_of(with_header("blob", content));
  }
  std::string text_of(const ObjectId& id) {
    const auto object = reader().read(id, kLimit);
    std::string streamed;
    ObjectType type = ObjectType::kUnknown;
    const auto result = reader().stream(
        id, [&](ObjectType streamed_type, std::uint64_t) { type = streamed_type; },
        [&](ByteView piece) { streamed += as_text(piece); });
    EXPECT_EQ(object.has_value(), result.has_value());
    if (!object) return object.error().text;
    EXPECT_EQ(object->type, type);
    EXPECT_EQ(as_text(object->content), streamed);
    return std::string(as_text(object->content));
  }

  testing::TemporaryDirectory root_;
  testing::FailingSystem system_;
  std::optional<ObjectDatabase> database_;
  std::optional<ObjectReader> reader_;
};

TEST_F(ObjectDatabaseTest, FindsObjectsWhereverTheyLie) {
  const ObjectId loose = put_object(root_, "blob", "loose", "main");
  const ObjectId other_loose = put_object(root_, "tree", "", "other");
  const ObjectId packed = put_packed("packed", "main", "pack-a");
  const ObjectId other_packed = put_packed("in the alternate", "other", "pack-b");
  EXPECT_EQ("loose", text_of(loose));
  EXPECT_EQ("", text_of(other_loose));
  EXPECT_EQ("packed", text_of(packed));
  EXPECT_EQ("in the alternate", text_of(other_packed));
  EXPECT_EQ(ObjectType::kTree, reader().info(other_loose)->type);
  EXPECT_EQ(5U, reader().info(loose)->size);
  EXPECT_EQ(std::filesystem::file_size(root_.path("main/" + loose_file_path(loose))),
            reader().info(loose)->disk_size);
  EXPECT_TRUE(reader().contains(packed));

  std::vector<ObjectId> expected{loose, other_loose, packed, other_packed};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(expected, database().all_ids());
  std::vector<ObjectId> by_storage = database().all_ids_in_storage_order();
  EXPECT_EQ(packed, by_storage[2]);
  EXPECT_EQ(other_packed, by_storage[3]);
  std::sort(by_storage.begin(), by_storage.end());
  EXPECT_EQ(expected, by_storage);
}

TEST_F(ObjectDatabaseTest, MissingObjectsAndTheEmptyTree) {
  const ObjectId absent = id_of(with_header("blob", "absent"));
  EXPECT_FALSE(reader().contains(absent));
  ASSERT_FALSE(reader().info(absent).has_value());
  EXPECT_EQ(MessageId::kMissing, reader().info(absent).error().id);
  EXPECT_EQ("object " + absent.hex() + " is missing", text_of(absent));
  // git knows it without any file; the empty blob it does not.
  const ObjectId tree = empty_tree_id(HashKind::kSha1);
  EXPECT_TRUE(reader().contains(tree));
  EXPECT_EQ("", text_of(tree));
  EXPECT_FALSE(reader().contains(id_of(with_header("blob", ""))));
  EXPECT_TRUE(database().all_ids().empty());
}

TEST_F(ObjectDatabaseTest, ADamagedCopyGivesWayToAGoodOne) {
  const ObjectId id = put_packed("content", "other", "pack-a");
  testing::put_file(root_, id, "damaged", "main");
  EXPECT_EQ("content", text_of(id));

  const ObjectId second = put_object(root_, "blob", "second", "other");
  testing::put_file(root_, second, testing::deflated(with_header("blob", "another")), "main");
  EXPECT_EQ("second", text_of(second));
}

TEST_F(ObjectDatabaseTest, NoContentUnderAWrongName) {
  const ObjectId id = id_of(with_header("blob", "right"));
  const ObjectId real = id_of(with_header("blob", "wrong"));
  testing::put_file(root_, id, testing::deflated(with_header("blob", "wrong")), "main");
  EXPECT_EQ(real.hex() + ": hash-path mismatch, found at: M/" + loose_file_path(id), text_of(id));

  testing::SmallPack pack;
  const ObjectId packed = id_of("another id");
  pack.add_whole(ObjectType::kBlob, "packed", packed);
  pack.write(root_, "main");
  EXPECT_EQ(id_of(with_header("blob", "packed")).hex() +
                ": hash-path mismatch, found at: M/pack/pack-small.pack, offset 12",
            text_of(packed));
}

TEST_F(ObjectDatabaseTest, LargeObjectsAreStreamedAndRehashed) {
  const std::string content(17 << 20, 'x');
  const ObjectId loose = put_object(root_, "blob", content, "main");
  const ObjectId packed = put_packed(content + "y", "main", "pack-a");
  for (const ObjectId& id : {loose, packed}) {
    std::uint64_t size = 0;
    std::size_t largest = 0;
    ASSERT_TRUE(reader()
                    .stream(
                        id, [](ObjectType, std::uint64_t) {},
                        [&](ByteView piece) {
                          size += piece.size();
                          largest = std::max(largest, piece.size());
                        })
                    .has_value());
    EXPECT_EQ(content.size() + (id == packed ? 1 : 0), size);
    EXPECT_EQ(std::size_t{64} << 10, largest);
  }
  EXPECT_EQ(MessageId::kObjectTooLarge, reader().read(loose, kLimit).error().id);

  const ObjectId wrong = id_of("a name it has not");
  testing::put_file(root_, wrong, testing::deflated(with_header("blob", content)), "main");
  const auto streamed = reader().stream(
      wrong, [](ObjectType, std::uint64_t) {}, [](ByteView) {});
  ASSERT_FALSE(streamed.has_value());
  EXPECT_EQ(MessageId::kHashPathMismatch, streamed.error().id);
}

TEST_F(ObjectDatabaseTest, ARepackBesideAReaderDoesNoHarm) {
  const ObjectId id = put_object(root_, "blob", "content", "main");
  EXPECT_EQ("content", text_of(id));
  std::filesystem::remove(root_.path("main/" + loose_file_path(id)));
  put_packed("content", "main", "pack-new");
  EXPECT_EQ("content", text_of(id));
}

TEST_F(ObjectDatabaseTest, APackThatWasReplacedBeforeItWasOpened) {
  const ObjectId id = put_packed("kept", "main", "pack-old");
  EXPECT_TRUE(reader().contains(id));  // the index was read, the pack was not
  put_packed("kept", "main", "pack-new");
  std::filesystem::remove(root_.path("main/pack/pack-old.pack"));
  std::filesystem::remove(root_.path("main/pack/pack-old.idx"));
  EXPECT_EQ("kept", text_of(id));
  EXPECT_EQ(4U, reader().info(id)->size);
}

TEST_F(ObjectDatabaseTest, DeltasTellTheirBase) {
  testing::SmallPack pack;
  const ObjectId base = id_of(with_header("blob", "base text"));
  const ObjectId delta = id_of(with_header("blob", "base text!"));
  const auto offset = pack.add_blob("base text");
  pack.add_offset_delta(offset, testing::simple_delta(9, 9, "!"), delta);
  pack.write(root_, "main");
  EXPECT_EQ("base text!", text_of(delta));
  EXPECT_FALSE(reader().info(base)->delta_base.has_value());
  EXPECT_EQ(base, reader().info(delta)->delta_base);
  EXPECT_EQ(pack.pack().size() - 12 - 20,
            reader().info(base)->disk_size + reader().info(delta)->disk_size);
}

TEST_F(ObjectDatabaseTest, BadIndexesAndPacksAreProblemsNotTheEnd) {
  const ObjectId good = put_packed("good", "main", "pack-b");
  root_.write("main/pack/pack-a.idx", "not an index");
  root_.write("main/pack/pack-a.pack", "");
  testing::SmallPack orphan;
  const ObjectId lost = id_of(with_header("blob", "lost"));
  orphan.add_blob("lost");
  root_.write("main/pack/pack-c.idx", orphan.index());
  EXPECT_EQ("good", text_of(good));
  EXPECT_EQ(1U, database().packs()->problems.size());
  EXPECT_EQ("object " + lost.hex() + " is missing", text_of(lost));

  // An index that speaks of more objects than the pack has.
  testing::SmallPack more = orphan;
  more.add_blob("more");
  root_.write("main/pack/pack-c.pack", more.pack());
  reader_.reset();
  database_.reset();
  EXPECT_EQ("packfile M/pack/pack-c.pack claims to have 2 objects while index indicates 1 objects",
            text_of(lost));
}

TEST_F(ObjectDatabaseTest, PrefixesFindEveryObjectOnce) {
  std::vector<ObjectId> ids;
  for (int i = 0; i < 300; ++i) {
    ids.push_back(put_object(root_, "blob", std::to_string(i), i % 2 == 0 ? "main" : "other"));
  }
  put_packed("7", "main", "pack-a");  // loose in the other directory, too
  for (const ObjectId& id : ids) {
    const std::string prefix = id.hex().substr(0, 5);
    std::vector<ObjectId> expected;
    for (const ObjectId& other : ids) {
      if (other.hex().starts_with(prefix)) expected.push_back(other);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(expected, database().find_prefix(prefix));
  }
  std::string upper = ids[0].hex().substr(0, 12);
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(std::vector<ObjectId>{ids[0]}, database().find_prefix(upper));
  EXPECT_TRUE(database().find_prefix("xyz").empty());
  EXPECT_TRUE(database().find_prefix("a").empty());
}

}  // namespace
}  // namespace assay
