#include "store/fsck/check_bitmaps.h"

#include <gtest/gtest.h>

#include "tests/support/derived_repository.h"

namespace assay {
namespace {

using testing::DerivedRepository;
using testing::exit_status_of;
using testing::lines_of;

constexpr std::size_t kHeaderSize = 32;

// A pack with a bitmap, or two packs with a multi-pack-index and its bitmap.
class Bitmaps : public ::testing::TestWithParam<bool> {
 protected:
  Bitmaps()
      : repository_(GetParam()
                        ? DerivedRepository::Commands{{"repack", "-dq"},
                                                      {"+2"},
                                                      {"repack", "-dq"},
                                                      {"multi-pack-index", "write", "--bitmap"}}
                        : DerivedRepository::Commands{{"repack", "-adbq"}}),
        name_(repository_.file(".bitmap")),
        sound_(repository_.read(name_)) {}

  std::string said_of(const std::string& file) {
    repository_.write(name_, file);
    FindingList found = repository_.check();
    status_ = exit_status_of(found);
    return lines_of(found);
  }
  std::string said_of(std::size_t offset, std::string_view bytes) {
    std::string changed = sound_;
    changed.replace(offset, bytes.size(), bytes);
    return said_of(repository_.sealed(std::move(changed)));
  }

  DerivedRepository repository_;
  std::string name_;
  std::string sound_;
  int status_ = 0;
};

TEST_P(Bitmaps, ChecksumsAreVerifiedInGitsWords) {
  EXPECT_EQ(said_of(sound_), "");
  std::string changed = sound_;
  changed.replace(12, 5, "bogus");
  EXPECT_EQ(said_of(changed), "error: bitmap file '" + name_ + "' has invalid checksum\n");
  EXPECT_EQ(status_, 128);
  EXPECT_EQ(said_of(""), "error: bitmap file '" + name_ + "' has invalid checksum\n");
}

TEST_P(Bitmaps, OneOfAnotherPackIsAFault) {
  const std::string said = said_of(12, "bogus");
  EXPECT_EQ(said.find("error: bitmap file '" + name_ + "' was made for 626f677573"), 0U) << said;
  EXPECT_EQ(status_, 128);
}

TEST_P(Bitmaps, TypesMustBeTrue) {
  // The first bitmap, of commits: numbers of bits and words, a marker, a literal word.
  const std::size_t literal = kHeaderSize + 8 + 8;
  std::string changed = sound_;
  changed[literal + 7] ^= 1;  // the first object in the pack
  const std::string said = said_of(repository_.sealed(changed));
  EXPECT_EQ(said.find("error: bitmap file '" + name_ + "' is wrong about the types of 1 objects"),
            0U)
      << said;
  EXPECT_EQ(status_, 128);
}

TEST_P(Bitmaps, OnlyCommitsHaveBitmaps) {
  // Find the first entry: behind four bitmaps.
  std::size_t at = kHeaderSize;
  for (int i = 0; i < 4; ++i) at += 12 + 8 * read_be32(as_bytes(sound_).data() + at + 4);
  std::string said;
  for (char position = 0; position < 16 && said.find("which is a ") == std::string::npos;
       ++position) {
    said = said_of(at, std::string{'\0', '\0', '\0', position});
  }
  EXPECT_NE(said.find("' has a bitmap for "), std::string::npos) << said;
  EXPECT_NE(said.find(", which is a "), std::string::npos) << said;
  EXPECT_EQ(status_, 128);
}

TEST_P(Bitmaps, OneThatCannotBeIsAFault) {
  EXPECT_EQ(said_of(5, "\2"),
            "error: bitmap file '" + name_ + "': unsupported version '2' for bitmap index file\n");
  EXPECT_EQ(status_, 128);
  EXPECT_NE(said_of(8, "\1").find("truncated header for entry"), std::string::npos);
}

// Every bit of the first bitmap, one after the other; one of them is of a tag.
TEST_P(Bitmaps, WhatCommitsReachIsComparedWhenAskedFor) {
  std::size_t at = kHeaderSize;
  for (int i = 0; i < 4; ++i) at += 12 + 8 * read_be32(as_bytes(sound_).data() + at + 4);
  const std::size_t literal = at + 6 + 8 + 8;
  ASSERT_EQ(read_be32(as_bytes(sound_).data() + at + 10), 2U);  // a marker and one literal word
  repository_.check_bitmaps_fully();
  EXPECT_EQ(said_of(sound_), "");
  const std::size_t bits = repository_.storage().table().size();
  ASSERT_LE(bits, 64U);
  ASSERT_GT(bits, 10U);
  for (std::size_t bit = 0; bit < bits; ++bit) {
    std::string changed = sound_;
    changed[literal + 7 - bit / 8] ^= static_cast<char>(1 << bit % 8);
    const std::string said = said_of(repository_.sealed(changed));
    EXPECT_EQ(said.find("error: bitmap file '" + name_ + "' is wrong about what "), 0U)
        << bit << ": " << said;
    EXPECT_NE(said.find(" reach"), std::string::npos) << said;
    EXPECT_EQ(status_, 128);
  }
}

INSTANTIATE_TEST_SUITE_P(PackAndMidx, Bitmaps, ::testing::Bool());

}  // namespace
}  // namespace assay
