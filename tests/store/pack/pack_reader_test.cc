#include "store/pack/pack_reader.h"

#include <gtest/gtest.h>

#include "store/pack/offset_order.h"
#include "tests/support/small_pack.h"

namespace assay {
namespace {

using testing::id_of;
using testing::simple_delta;
using testing::with_header;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 24;

class PackReaderTest : public ::testing::Test {
 protected:
  // Requires: all entries were added.
  void open() {
    made_.write(root_, "objects");
    index_bytes_ = made_.index();
    auto index = PackIndex::parse(as_bytes(index_bytes_), HashKind::kSha1, "I");
    auto pack = PackFile::open(os::System::real(), root_.path("objects/pack/pack-small.pack"),
                               HashKind::kSha1, "P");
    ASSERT_TRUE(index.has_value() && pack.has_value());
    index_ = std::move(*index);
    pack_ = std::move(*pack);
  }
  Result<PackedObject> read(std::uint64_t offset, std::uint64_t limit = kLimit) {
    return reader_.read(*pack_, *index_, {offset}, limit);
  }
  Result<PackedInfo> info(std::uint64_t offset) { return reader_.info(*pack_, *index_, {offset}); }
  Fault fault_of(std::uint64_t offset) {
    const auto object = read(offset);
    EXPECT_FALSE(object.has_value());
    return object ? Fault{} : object.error();
  }
  static ObjectId some_id(int i) { return id_of("id " + std::to_string(i)); }

  testing::TemporaryDirectory root_;
  testing::SmallPack made_;
  std::string index_bytes_;
  std::optional<PackIndex> index_;
  std::optional<PackFile> pack_;
  PackReader reader_;
};

TEST_F(PackReaderTest, ReadsWholeObjectsOfAllTypes) {
  std::vector<std::uint64_t> offsets;
  const ObjectType types[] = {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob,
                              ObjectType::kTag};
  for (const ObjectType type : types) {
    offsets.push_back(
        made_.add_whole(type, "content of " + std::string(type_name(type)), some_id(1)));
  }
  offsets.push_back(made_.add_blob(""));
  open();
  for (std::size_t i = 0; i < 4; ++i) {
    const auto object = read(offsets[i]);
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(types[i], object->type);
    EXPECT_EQ("content of " + std::string(type_name(types[i])), as_text(object->content));
    EXPECT_EQ(types[i], info(offsets[i])->type);
    EXPECT_FALSE(info(offsets[i])->is_delta);
  }
  EXPECT_TRUE(read(offsets[4])->content.empty());
}

TEST_F(PackReaderTest, FollowsChainsOfBothKinds) {
  const ObjectId base_id = id_of(with_header("blob", "base text"));
  // The second delta comes before the first, and its base by id comes after it.
  const auto late = made_.add_ref_delta(some_id(1), simple_delta(14, 8, "!"), some_id(2));
  const auto base = made_.add_blob("base text");
  const auto first = made_.add_offset_delta(base, simple_delta(9, 9, ", more"), some_id(7));
  const auto by_id = made_.add_ref_delta(base_id, simple_delta(9, 5, "by an id."), some_id(1));
  open();
  EXPECT_EQ("base text, more", as_text(read(first)->content));
  EXPECT_EQ("base by an id.", as_text(read(by_id)->content));
  EXPECT_EQ("base by !", as_text(read(late)->content));
  const auto info = this->info(late);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(ObjectType::kBlob, info->type);
  EXPECT_EQ(9U, info->size);
  EXPECT_TRUE(info->is_delta);
  EXPECT_EQ(by_id, info->base_offset.value);
}

TEST_F(PackReaderTest, LongChainsNeedNoStack) {
  std::string content = "0";
  std::uint64_t offset = made_.add_blob(content);
  for (int i = 1; i < 3000; ++i) {
    offset = made_.add_offset_delta(offset, simple_delta(content.size(), content.size(), "x"),
                                    some_id(i));
    content += 'x';
  }
  open();
  EXPECT_EQ(content, as_text(read(offset)->content));
}

TEST_F(PackReaderTest, CyclesAreFound) {
  const auto self = made_.add_ref_delta(some_id(1), simple_delta(3, 3, ""), some_id(1));
  const auto one = made_.add_ref_delta(some_id(3), simple_delta(3, 3, ""), some_id(2));
  const auto two = made_.add_ref_delta(some_id(2), simple_delta(3, 3, ""), some_id(3));
  const auto into = made_.add_offset_delta(two, simple_delta(3, 3, ""), some_id(4));
  open();
  for (const std::uint64_t offset : {self, one, two, into}) {
    EXPECT_EQ(MessageId::kDeltaCycle, fault_of(offset).id) << offset;
    ASSERT_FALSE(info(offset).has_value());
    EXPECT_EQ(MessageId::kDeltaCycle, info(offset).error().id);
  }
}

TEST_F(PackReaderTest, MissingBaseIsAFault) {
  const auto delta = made_.add_ref_delta(some_id(9), simple_delta(3, 3, ""), some_id(1));
  open();
  const Fault fault = fault_of(delta);
  EXPECT_EQ(MessageId::kDeltaBaseBad, fault.id);
  EXPECT_EQ("failed to validate delta base reference at offset 12 from P", fault.text);
}

TEST_F(PackReaderTest, DeltasThatLieAreFaults) {
  const auto base = made_.add_blob("base text");
  std::vector<std::uint64_t> offsets;
  const std::string deltas[] = {
      simple_delta(8, 8, "x"),   // wrong base size
      simple_delta(9, 10, "x"),  // copies past the base
      testing::delta_size(9) + testing::delta_size(5) +
          "\x04"
          "abcd",  // result too short
      testing::delta_size(9) + testing::delta_size(3) +
          "\x04"
          "abcd",  // result too long
      testing::delta_size(9) + testing::delta_size(4) +
          "\x04"
          "abc",                                                               // cut short
      testing::delta_size(9) + testing::delta_size(1) + std::string(1, '\0'),  // reserved
      testing::delta_size(9) + testing::delta_size(std::uint64_t{1} << 40) +
          "\x01"
          "a",
      testing::delta_size(9),
      "",
  };
  int i = 0;
  for (const std::string& delta : deltas) {
    offsets.push_back(made_.add_offset_delta(base, delta, some_id(++i)));
  }
  open();
  for (const std::uint64_t offset : offsets) {
    EXPECT_EQ(MessageId::kEntryUnpackable, fault_of(offset).id) << offset;
  }
}

TEST_F(PackReaderTest, EntriesThatLieAreFaults) {
  const std::string good = testing::deflated("content");
  const auto too_long = made_.add_raw(3, 8, good, some_id(1));
  const auto too_short = made_.add_raw(3, 6, good, some_id(2));
  const auto huge = made_.add_raw(3, std::uint64_t{1} << 40, good, some_id(3));
  std::string damaged = good;
  damaged.back() ^= 1;
  const auto checksum = made_.add_raw(3, 7, damaged, some_id(4));
  const auto garbage = made_.add_raw(3, 7, "garbage", some_id(5));
  open();
  for (const std::uint64_t offset : {too_long, too_short, huge, checksum, garbage}) {
    EXPECT_EQ(MessageId::kEntryUnpackable, fault_of(offset).id) << offset;
    const auto streamed = reader_.stream(*pack_, {offset}, [](ByteView) {});
    ASSERT_FALSE(streamed.has_value());
    EXPECT_EQ(MessageId::kEntryUnpackable, streamed.error().id) << offset;
  }
  for (const std::uint64_t outside :
       {std::uint64_t{0}, std::uint64_t{11}, std::uint64_t{1} << 60}) {
    EXPECT_EQ(MessageId::kEntryHeaderBad, fault_of(outside).id);
  }
}

TEST_F(PackReaderTest, TheLimitHoldsForObjectsBasesAndResults) {
  const auto base = made_.add_blob(std::string(1000, 'x'));
  const auto small = made_.add_offset_delta(base, simple_delta(1000, 10, ""), some_id(1));
  const auto large = made_.add_offset_delta(base, simple_delta(1000, 1000, "more"), some_id(2));
  open();
  for (const std::uint64_t offset : {base, small, large}) {
    const auto object = read(offset, 999);
    ASSERT_FALSE(object.has_value());
    EXPECT_EQ(MessageId::kObjectTooLarge, object.error().id);
  }
  EXPECT_TRUE(read(base, 1000).has_value());
  EXPECT_FALSE(read(large, 1003).has_value());
  EXPECT_TRUE(read(large, 1004).has_value());
}

TEST_F(PackReaderTest, TheCacheForgetsButNeverMistakes) {
  // Chains of large objects, more than the cache holds, read again and again in changing order.
  std::vector<std::pair<std::uint64_t, std::string>> objects;
  for (int chain = 0; chain < 6; ++chain) {
    std::string content(3 << 20, static_cast<char>('a' + chain));
    std::uint64_t offset = made_.add_blob(content);
    for (int i = 0; i < 3; ++i) {
      objects.emplace_back(offset, content);
      const std::string more = std::to_string(chain * 10 + i);
      offset = made_.add_offset_delta(offset, simple_delta(content.size(), content.size(), more),
                                      some_id(chain * 10 + i));
      content += more;
    }
    objects.emplace_back(offset, content);
  }
  open();
  for (const std::size_t step : {1, 7, 5, 11}) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto& [offset, content] = objects[(i * step) % objects.size()];
      const auto object = read(offset);
      ASSERT_TRUE(object.has_value());
      EXPECT_TRUE(content == as_text(object->content)) << offset;
    }
  }
}

TEST_F(PackReaderTest, StreamsWholeObjects) {
  std::string content;
  for (int i = 0; i < 100000; ++i) content += std::to_string(i);
  const auto offset = made_.add_blob(content);
  const auto empty = made_.add_blob("");
  open();
  std::string streamed;
  std::size_t largest = 0;
  ASSERT_TRUE(reader_
                  .stream(*pack_, {offset},
                          [&](ByteView piece) {
                            streamed += as_text(piece);
                            largest = std::max(largest, piece.size());
                          })
                  .has_value());
  EXPECT_EQ(content, streamed);
  EXPECT_EQ(std::size_t{64} << 10, largest);
  EXPECT_TRUE(reader_.stream(*pack_, {empty}, [](ByteView) { FAIL(); }).has_value());
}

TEST_F(PackReaderTest, OffsetOrderKnowsNeighbours) {
  const auto a = made_.add_blob("a");
  const auto b = made_.add_blob("b");
  const auto c = made_.add_blob("c");
  open();
  const OffsetOrder order = OffsetOrder::build(*index_);
  ASSERT_EQ(3U, order.positions().size());
  EXPECT_EQ(b, order.next({a})->value);
  EXPECT_EQ(b, order.next({a + 1})->value);
  EXPECT_EQ(c, order.next({b})->value);
  EXPECT_FALSE(order.next({c}).has_value());
  EXPECT_FALSE(order.position_at({a + 1}).has_value());
  ASSERT_TRUE(order.position_at({c}).has_value());
  EXPECT_EQ(id_of(with_header("blob", "c")), index_->id(*order.position_at({c})));
}

}  // namespace
}  // namespace assay
