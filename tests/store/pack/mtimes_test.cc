#include "store/pack/mtimes.h"

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::be32_text;

std::string mtimes() {
  return testing::IndexBuilder::seal("MTME" + be32_text(1) + be32_text(1) + be32_text(1112911993) +
                                     be32_text(7) + std::string(20, 'p'));
}

std::string words_of(std::string_view text, std::uint32_t count = 2) {
  const auto file = MtimesFile::parse(as_bytes(text), HashKind::kSha1, count, "x.mtimes");
  return file ? "" : file.error().text;
}

TEST(Mtimes, SaysWhatItHolds) {
  const std::string text = mtimes();
  const auto file = MtimesFile::parse(as_bytes(text), HashKind::kSha1, 2, "x.mtimes");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->at({0}), 1112911993U);
  EXPECT_EQ(file->at({1}), 7U);
  EXPECT_EQ(as_text(file->pack_checksum()), std::string(20, 'p'));
}

TEST(Mtimes, ChecksAsGitDoesWhenItReadsOne) {
  std::string text = mtimes();
  EXPECT_EQ(words_of(text.substr(0, 11)), "mtimes file x.mtimes is too small");
  EXPECT_EQ(words_of(text, 3), "mtimes file x.mtimes is corrupt");
  EXPECT_EQ(words_of(text + "x"), "mtimes file x.mtimes is corrupt");
  text[7] = 9;
  EXPECT_EQ(words_of(text), "mtimes file x.mtimes has unsupported version 9");
  text = mtimes();
  text[11] = 2;
  EXPECT_EQ(words_of(text), "mtimes file x.mtimes has unsupported hash id 2");
  text[0] = 'm';
  EXPECT_EQ(words_of(text), "mtimes file x.mtimes has unknown signature");
}

TEST(Mtimes, SurvivesAnyDamage) {
  std::size_t refused = 0;
  const std::string text = mtimes();
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    refused += MtimesFile::parse(bytes, HashKind::kSha1, 2, "x.mtimes") ? 0 : 1;
  });
  EXPECT_GT(refused, text.size());
}

}  // namespace
}  // namespace assay
