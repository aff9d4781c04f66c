#include "tools/common/byte_size.h"

#include <gtest/gtest.h>

namespace assay::tools {
namespace {

TEST(ByteSize, HasUnits) {
  EXPECT_EQ(parse_byte_size("8"), 8u);
  EXPECT_EQ(parse_byte_size("1k"), 1024u);
  EXPECT_EQ(parse_byte_size("64M"), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_byte_size("1g"), std::uint64_t{1} << 30);
  for (const char* text : {"", "k", "-1", "1kk", "1.5k", " 1", "1 ", "99999999999999999999",
                           "18446744073709551615k"}) {
    EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace assay::tools
