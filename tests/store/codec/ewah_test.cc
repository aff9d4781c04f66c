#include "store/codec/ewah.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::ewah_marker;
using testing::ewah_text;

std::optional<EwahBitmap> parse(std::string_view text) {
  ByteReader reader(as_bytes(text));
  auto bitmap = EwahBitmap::parse(reader);
  if (bitmap) {
    EXPECT_TRUE(reader.at_end());
  }
  return bitmap;
}

std::vector<std::uint64_t> bits_of(const EwahBitmap& bitmap) {
  std::vector<std::uint64_t> bits;
  bitmap.for_each([&](std::uint64_t position) {
    bits.push_back(position);
    return bits.size() < 1000;
  });
  return bits;
}

TEST(Ewah, ReadsRunsAndLiterals) {
  const auto bitmap = parse(
      ewah_text(200, {ewah_marker(false, 1, 1), 0x8000000000000005, ewah_marker(true, 1, 0)}));
  ASSERT_TRUE(bitmap);
  EXPECT_EQ(bitmap->bit_size(), 200U);
  const auto bits = bits_of(*bitmap);
  ASSERT_EQ(bits.size(), 3U + 64U);
  EXPECT_EQ((std::vector<std::uint64_t>(bits.begin(), bits.begin() + 4)),
            (std::vector<std::uint64_t>{64, 66, 127, 128}));
  EXPECT_EQ(bits.back(), 191U);
}

TEST(Ewah, ReadsAnEmptyOne) {
  const auto bitmap = parse(ewah_text(0, {}));
  ASSERT_TRUE(bitmap);
  EXPECT_TRUE(bits_of(*bitmap).empty());
  EXPECT_TRUE(bits_of(EwahBitmap()).empty());
}

TEST(Ewah, StopsWhenToldHoweverLongTheRun) {
  const auto bitmap = parse(ewah_text(0xffffffff, {ewah_marker(true, 0xffffffff, 0)}));
  ASSERT_TRUE(bitmap);
  EXPECT_EQ(bits_of(*bitmap).size(), 1000U);
}

TEST(Ewah, RefusesLiteralsThatAreNotThere) {
  EXPECT_FALSE(parse(ewah_text(64, {ewah_marker(false, 0, 1)})));
  EXPECT_TRUE(parse(ewah_text(64, {ewah_marker(false, 0, 1), 1})));
  EXPECT_FALSE(parse(ewah_text(64, {ewah_marker(false, 0, 0x7fffffff), 1})));
}

TEST(Ewah, SurvivesDamage) {
  const std::string text =
      ewah_text(200, {ewah_marker(false, 1, 1), 0x8000000000000005, ewah_marker(true, 1, 0)});
  std::size_t refused = 0;
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    ByteReader reader(bytes);
    const auto bitmap = EwahBitmap::parse(reader);
    if (bitmap) {
      EXPECT_LE(bits_of(*bitmap).size(), 1000U);
    } else {
      ++refused;
    }
  });
  EXPECT_GT(refused, text.size());
}

}  // namespace
}  // namespace assay
