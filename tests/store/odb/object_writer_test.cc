#include "store/odb/object_writer.h"

#include <gtest/gtest.h>

#include "tests/support/small_pack.h"

namespace assay {
namespace {

using Outcome = ObjectWriter::Outcome;
using std::filesystem::last_write_time;
using testing::id_of;
using testing::with_header;

class ObjectWriterTest : public ::testing::Test {
 protected:
  ObjectWriterTest() {
    std::filesystem::create_directories(root_.path("main"));
    std::filesystem::create_directories(root_.path("other"));
  }
  std::unique_ptr<ObjectWriter> writer() {
    database_.emplace(
        os::System::real(),
        std::vector<ObjectSource>{{root_.path("main"), "M"}, {root_.path("other"), "O"}},
        HashKind::kSha1);
    auto opened = ObjectWriter::open(*database_, {});
    EXPECT_TRUE(opened.has_value());
    return std::move(*opened);
  }
  Result<Outcome> write(ObjectWriter& writer, std::string_view content) {
    return writer.write(id_of(with_header("blob", content)), ObjectType::kBlob, as_bytes(content));
  }
  bool is_loose_in_main(std::string_view content) const {
    return std::filesystem::exists(
        root_.path("main/" + loose_file_path(id_of(with_header("blob", content)))));
  }
  // Makes the file a day old. Returns: its name.
  std::string aged(const std::string& name) const {
    last_write_time(root_.path(name), last_write_time(root_.path(name)) - std::chrono::hours(24));
    return root_.path(name);
  }
  static bool is_fresh(const std::string& path) {
    return last_write_time(path) >
           std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  }

  testing::TemporaryDirectory root_;
  std::optional<ObjectDatabase> database_;
};

TEST_F(ObjectWriterTest, WritesWhatIsNowhere) {
  const auto writer = this->writer();
  EXPECT_EQ(Outcome::kWritten, *write(*writer, "content"));
  EXPECT_TRUE(is_loose_in_main("content"));
}

TEST_F(ObjectWriterTest, PackedObjectsAreFreshenedNotWritten) {
  for (const char* directory : {"main", "other"}) {
    testing::SmallPack pack;
    pack.add_blob(directory);
    pack.write(root_, directory);
  }
  const std::string main_pack = aged("main/pack/pack-small.pack");
  const std::string other_pack = aged("other/pack/pack-small.pack");
  const auto writer = this->writer();
  EXPECT_EQ(Outcome::kExisted, *write(*writer, "main"));
  EXPECT_TRUE(is_fresh(main_pack));
  EXPECT_FALSE(is_fresh(other_pack));
  EXPECT_EQ(Outcome::kExisted, *write(*writer, "other"));
  EXPECT_TRUE(is_fresh(other_pack));
  EXPECT_FALSE(is_loose_in_main("main"));
  EXPECT_FALSE(is_loose_in_main("other"));
}

TEST_F(ObjectWriterTest, PacksThatMayGoDoNotCount) {
  testing::SmallPack cruft;
  cruft.add_blob("cruft");
  cruft.write(root_, "main", "pack-cruft");
  root_.write("main/pack/pack-cruft.mtimes", "");
  testing::SmallPack orphan;
  orphan.add_blob("orphan");
  root_.write("main/pack/pack-orphan.idx", orphan.index());
  const auto writer = this->writer();
  EXPECT_EQ(Outcome::kWritten, *write(*writer, "cruft"));
  EXPECT_EQ(Outcome::kWritten, *write(*writer, "orphan"));
}

TEST_F(ObjectWriterTest, LooseCopiesInAlternatesCountWhenSound) {
  const ObjectId sound = testing::put_object(root_, "blob", "sound", "other");
  testing::put_file(root_, id_of(with_header("blob", "damaged")), "", "other");
  const std::string file = aged("other/" + loose_file_path(sound));
  const auto writer = this->writer();
  EXPECT_EQ(Outcome::kExisted, *write(*writer, "sound"));
  EXPECT_TRUE(is_fresh(file));
  EXPECT_FALSE(is_loose_in_main("sound"));
  EXPECT_EQ(Outcome::kWritten, *write(*writer, "damaged"));
  EXPECT_TRUE(is_loose_in_main("damaged"));
}

TEST_F(ObjectWriterTest, StreamsAreWrittenOnce) {
  testing::SmallPack pack;
  pack.add_blob("packed");
  pack.write(root_, "main");
  const auto writer = this->writer();
  for (const std::string content : {"packed", "new"}) {
    ASSERT_TRUE(writer->begin(ObjectType::kBlob, content.size()).has_value());
    ASSERT_TRUE(writer->append(as_bytes(content)).has_value());
    const auto id = writer->end();
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(id_of(with_header("blob", content)), *id);
    EXPECT_EQ(content == "new", is_loose_in_main(content));
  }
}

}  // namespace
}  // namespace assay
