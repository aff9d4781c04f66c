#include "store/pack/reverse_index.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::be32_text;
using testing::for_each_damage;

std::string reverse_index(const std::vector<std::uint32_t>& positions,
                          HashKind kind = HashKind::kSha1) {
  std::string text = "RIDX" + be32_text(1) + be32_text(kind == HashKind::kSha1 ? 1 : 2);
  for (const std::uint32_t position : positions) text += be32_text(position);
  text += std::string(id_size(kind), 'p');  // of the pack
  return testing::IndexBuilder::seal(text, kind);
}

TEST(ReverseIndexFile, SaysWhatItHolds) {
  const std::string text = reverse_index({2, 0, 1});
  const auto index = ReverseIndex::parse(as_bytes(text), HashKind::kSha1, 3, "x.rev");
  ASSERT_TRUE(index);
  EXPECT_EQ(index->count(), 3U);
  EXPECT_EQ(index->at({0}).value, 2U);
  EXPECT_EQ(index->at({2}).value, 1U);
  EXPECT_EQ(index->hash_id(), 1U);
  EXPECT_EQ(as_text(index->pack_checksum()), std::string(20, 'p'));
}

TEST(ReverseIndexFile, KnowsTheSizeOfTheOtherHash) {
  const std::string text = reverse_index({0}, HashKind::kSha256);
  EXPECT_TRUE(ReverseIndex::parse(as_bytes(text), HashKind::kSha256, 1, "x.rev"));
  EXPECT_FALSE(ReverseIndex::parse(as_bytes(text), HashKind::kSha1, 1, "x.rev"));
}

TEST(ReverseIndexFile, FindsEveryDifferenceAtAnyPlace) {
  // More than some blocks, and not a whole number of them.
  std::vector<std::uint32_t> positions(64 * 5 + 7);
  std::iota(positions.begin(), positions.end(), 0x01020300U);
  const std::string text = reverse_index(positions);
  const auto index = ReverseIndex::parse(as_bytes(text), HashKind::kSha1,
                                         static_cast<std::uint32_t>(positions.size()), "x.rev");
  ASSERT_TRUE(index);
  EXPECT_FALSE(index->first_difference(positions, {0}));
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    std::vector<std::uint32_t> expected = positions;
    expected[i] ^= 1u << (i % 32);
    for (const std::uint32_t begin : {0u, i, i / 2}) {
      const auto found = index->first_difference(expected, {begin});
      ASSERT_TRUE(found) << i;
      EXPECT_EQ(found->value, i);
    }
    EXPECT_FALSE(index->first_difference(expected, {i + 1}));
  }
}

TEST(ReverseIndexFile, SurvivesAnyDamage) {
  const std::string text = reverse_index({0, 1, 2});
  std::size_t refused = 0;
  const std::size_t calls = for_each_damage(as_bytes(text), [&](ByteView bytes) {
    const auto index = ReverseIndex::parse(bytes, HashKind::kSha1, 3, "x.rev");
    if (!index) {
      ++refused;
      EXPECT_EQ(index.error().id, MessageId::kReverseIndexBad);
    } else {
      EXPECT_EQ(index->pack_checksum().size(), 20U);
    }
  });
  EXPECT_GT(refused, text.size());
  EXPECT_LT(refused, calls);
  // A count that the size cannot have, however large.
  EXPECT_FALSE(ReverseIndex::parse(as_bytes(text), HashKind::kSha1, 0xffffffff, "x.rev"));
}

}  // namespace
}  // namespace assay
