#include "store/codec/find_id.h"

#include <gtest/gtest.h>

#include "store/base/bytes.h"

namespace assay {
namespace {

constexpr std::size_t kSize = 4;
constexpr std::size_t kStride = 6;  // two bytes of something else follow each id

struct Table {
  Bytes fanout = Bytes(256 * 4);
  Bytes ids;

  void add(std::uint32_t id) {
    for (int shift = 24; shift >= 0; shift -= 8)
      ids.push_back(static_cast<std::uint8_t>(id >> shift));
    ids.resize(ids.size() + kStride - kSize, 0xff);
    for (std::size_t byte = id >> 24; byte < 256; ++byte) set_fanout(byte, read(byte) + 1);
  }
  std::uint32_t read(std::size_t byte) const { return read_be32(fanout.data() + 4 * byte); }
  void set_fanout(std::size_t byte, std::uint32_t count) {
    for (std::size_t i = 0; i < 4; ++i) {
      fanout[4 * byte + i] = static_cast<std::uint8_t>(count >> (24 - 8 * i));
    }
  }
  std::optional<std::uint32_t> find(std::uint32_t id) const {
    Table wanted;
    wanted.add(id);
    return find_id(fanout.data(), ids.data(), kStride, kSize, wanted.ids.data());
  }
};

TEST(FindId, FindsEveryRowAndNothingElse) {
  const std::uint32_t sorted[] = {0, 1, 0xff, 0x01000000, 0x01000002, 0x7f000000, 0xff000000, ~0U};
  Table table;
  for (const std::uint32_t id : sorted) table.add(id);
  for (std::uint32_t row = 0; row < std::size(sorted); ++row) {
    EXPECT_EQ(table.find(sorted[row]), row);
  }
  for (const std::uint32_t id : {2U, 0x100U, 0x01000001U, 0x80000000U, 0xff000001U}) {
    EXPECT_EQ(table.find(id), std::nullopt) << id;
  }
  EXPECT_EQ(Table().find(0), std::nullopt);
}

TEST(FindId, LooksOnlyWhereTheFanoutSays) {
  Table table;
  for (const std::uint32_t id : {0x01000000U, 0x02000000U, 0x03000000U}) table.add(id);
  table.set_fanout(1, 2);  // the row of 02 is said to begin with 01
  EXPECT_EQ(table.find(0x01000000), 0U);
  EXPECT_EQ(table.find(0x02000000), std::nullopt);
  EXPECT_EQ(table.find(0x03000000), 2U);
}

}  // namespace
}  // namespace assay
