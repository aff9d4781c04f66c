#include "store/graph/multi_pack_index.h"

#include <gtest/gtest.h>

#include "tests/support/chunk_text.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::be32_text;
using testing::be64_text;
using testing::ChunkText;

std::string raw_id(char digit) { return std::string(20, digit); }

// Two objects, one of them far into the second pack.
std::vector<ChunkText> chunks() {
  const std::vector<std::string> ids = {raw_id('\x11'), raw_id('\x22')};
  return {{"PNAM", std::string("pack-a.idx\0pack-b.idx\0\0\0", 24)},
          {"OIDF", testing::fanout_text(ids)},
          {"OIDL", ids[0] + ids[1]},
          {"OOFF", be32_text(0) + be32_text(12) + be32_text(1) + be32_text(0x80000001)},
          {"LOFF", be64_text(1) + be64_text(std::uint64_t{5} << 32)},
          {"RIDX", be32_text(0) + be32_text(1)}};
}

std::string file(const std::vector<ChunkText>& parts, char version = 1) {
  return testing::chunk_file(
      "MIDX" + std::string{version, '\1', static_cast<char>(parts.size()), '\0'} + be32_text(2),
      parts);
}

TEST(MultiPackIndexFormat, SaysWhatItHolds) {
  const std::string text = file(chunks());
  const auto index = MultiPackIndex::parse(as_bytes(text), HashKind::kSha1, "midx");
  ASSERT_TRUE(index) << index.error().text;
  EXPECT_EQ(index->version(), 1);
  ASSERT_EQ(index->count(), 2U);
  EXPECT_EQ(index->pack_names(), (std::vector<std::string_view>{"pack-a.idx", "pack-b.idx"}));
  EXPECT_EQ(index->id(1).hex(), std::string(40, '2'));
  EXPECT_EQ(index->pack(0), 0U);
  EXPECT_EQ(index->offset(0)->value, 12U);
  EXPECT_EQ(index->pack(1), 1U);
  EXPECT_EQ(index->offset(1)->value, std::uint64_t{5} << 32);
  EXPECT_EQ(index->reverse_index()->size(), 8U);
  EXPECT_FALSE(index->bitmapped_packs());
}

TEST(MultiPackIndexFormat, LargeOffsetsNeedTheirChunk) {
  std::vector<ChunkText> parts = chunks();
  parts[4].second.resize(8);
  std::string text = file(parts);
  auto index = MultiPackIndex::parse(as_bytes(text), HashKind::kSha1, "midx");
  ASSERT_TRUE(index);
  EXPECT_FALSE(index->offset(1));
  // Without the chunk all 32 bits are the offset.
  parts.erase(parts.begin() + 4);
  text = file(parts);
  index = MultiPackIndex::parse(as_bytes(text), HashKind::kSha1, "midx");
  ASSERT_TRUE(index);
  EXPECT_EQ(index->offset(1)->value, 0x80000001U);
}

TEST(MultiPackIndexFormat, OnlyVersion1WantsNamesInOrder) {
  std::vector<ChunkText> parts = chunks();
  parts[0].second = std::string("pack-b.idx\0pack-a.idx\0\0\0", 24);
  const std::string one = file(parts);
  const auto index = MultiPackIndex::parse(as_bytes(one), HashKind::kSha1, "midx");
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().id, MessageId::kMultiPackIndexFatal);
  const std::string two = file(parts, 2);
  EXPECT_TRUE(MultiPackIndex::parse(as_bytes(two), HashKind::kSha1, "midx"));
}

TEST(MultiPackIndexFormat, SurvivesAnyDamage) {
  const std::string text = file(chunks());
  std::size_t refused = 0;
  std::uint64_t read = 0;  // the sum of all that the others say
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    const auto index = MultiPackIndex::parse(bytes, HashKind::kSha1, "midx");
    if (!index) {
      ++refused;
      EXPECT_TRUE(index.error().id == MessageId::kMultiPackIndexUnreadable ||
                  index.error().id == MessageId::kMultiPackIndexFatal);
      return;
    }
    ASSERT_LE(std::uint64_t{index->count()} * id_size(HashKind::kSha1), bytes.size());
    for (std::uint32_t row = 0; row < index->count(); ++row) {
      read += index->id(row).bytes()[0] + index->pack(row);
      read += index->offset(row).value_or(PackOffset{}).value;
    }
    for (const std::string_view name : index->pack_names()) read += name.size();
  });
  EXPECT_GT(read, 0U);
  EXPECT_GT(refused, text.size());
}

}  // namespace
}  // namespace assay
