#include "store/pack/bitmap.h"

#include <gtest/gtest.h>

#include "tests/support/chunk_text.h"
#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::be16_text;
using testing::be32_text;
using testing::be64_text;
using testing::ewah_marker;
using testing::ewah_text;

constexpr BitmapFile::Objects kFour{4, 4};

// An EWAH bitmap of up to 64 bits.
std::string bits(std::uint64_t word) { return ewah_text(4, {ewah_marker(false, 0, 1), word}); }

// A bitmap of four objects: commits 0 and 1, tree 2, blob 3; one bitmap for each commit, the second
// combined with the first.
struct Parts {
  unsigned flags = 0x1;
  std::string header = "BITM";
  unsigned version = 1;
  std::uint32_t entry_count = 2;
  std::string types = bits(0x3) + bits(0x4) + bits(0x8) + ewah_text(0, {});
  std::string entries = be32_text(0) + std::string("\0\1", 2) + bits(0xd) + be32_text(3) +
                        std::string("\1\0", 2) + bits(0x2);
  std::string extensions;

  std::string head() const {
    return header + be16_text(version) + be16_text(flags) + be32_text(entry_count) +
           std::string(20, 'p');
  }
  std::string text() const {
    return testing::IndexBuilder::seal(head() + types + entries + extensions);
  }
  std::size_t first_entry() const { return head().size() + types.size(); }
  std::size_t second_entry() const { return first_entry() + 6 + bits(0).size(); }
};

std::string words_of(const std::string& text, BitmapFile::Objects objects = kFour) {
  const auto file = BitmapFile::parse(as_bytes(text), HashKind::kSha1, objects);
  if (file) return "";
  EXPECT_EQ(file.error().id, MessageId::kBitmapUntrue);
  return file.error().text;
}

std::vector<std::uint64_t> positions(const EwahBitmap& bitmap) {
  std::vector<std::uint64_t> result;
  bitmap.for_each([&](std::uint64_t position) {
    result.push_back(position);
    return true;
  });
  return result;
}

TEST(Bitmap, SaysWhatItHolds) {
  const std::string text = Parts().text();
  std::vector<std::vector<std::uint64_t>> visited;
  const auto file = BitmapFile::parse(as_bytes(text), HashKind::kSha1, kFour,
                                      [&](const BitmapFile::Entry&, const EwahBitmap& bitmap) {
                                        visited.push_back(positions(bitmap));
                                      });
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(as_text(file->pack_checksum()), std::string(20, 'p'));
  EXPECT_EQ(positions(file->of_type(ObjectType::kCommit)), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(positions(file->of_type(ObjectType::kTree)), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(positions(file->of_type(ObjectType::kBlob)), (std::vector<std::uint64_t>{3}));
  EXPECT_TRUE(positions(file->of_type(ObjectType::kTag)).empty());
  ASSERT_EQ(file->entries().size(), 2U);
  EXPECT_EQ(file->entries()[1].commit.value, 3U);
  EXPECT_EQ(file->entries()[1].xor_offset, 1U);
  EXPECT_EQ(file->entries()[1].offset, Parts().second_entry());
  EXPECT_EQ(visited, (std::vector<std::vector<std::uint64_t>>{{0, 2, 3}, {1}}));
}

TEST(Bitmap, RefusesBadHeadersInGitsWords) {
  EXPECT_EQ(words_of(Parts().text().substr(0, 51)), "corrupted bitmap index (too small)");
  Parts parts;
  parts.header = "MTIB";
  EXPECT_EQ(words_of(parts.text()), "corrupted bitmap index file (wrong header)");
  parts = Parts();
  parts.version = 2;
  EXPECT_EQ(words_of(parts.text()), "unsupported version '2' for bitmap index file");
  parts = Parts();
  parts.flags = 0;
  EXPECT_NE(words_of(parts.text()), "");
  parts.flags = 0x1 | 0x4;
  EXPECT_EQ(words_of(parts.text(), {100, 100}),
            "corrupted bitmap index file (too short to fit hash cache)");
  parts.flags = 0x1 | 0x10;
  parts.entry_count = 0x10000000;
  EXPECT_EQ(words_of(parts.text()), "corrupted bitmap index file (too short to fit lookup table)");
}

TEST(Bitmap, RefusesBadEntriesInGitsWords) {
  Parts parts;
  parts.entry_count = 3;
  EXPECT_EQ(words_of(parts.text()), "corrupt ewah bitmap: truncated header for entry 2");
  parts = Parts();
  parts.entries.replace(0, 4, be32_text(4));
  EXPECT_EQ(words_of(parts.text()), "corrupt ewah bitmap: commit index 4 out of range");
  parts = Parts();
  parts.entries[4] = 1;
  EXPECT_NE(words_of(parts.text()).find("corrupted bitmap pack index"), std::string::npos);
  parts = Parts();
  parts.entries.replace(6 + bits(0).size(), 4, be32_text(0));
  EXPECT_EQ(words_of(parts.text()), "duplicate entry in bitmap index: object 0");
}

TEST(Bitmap, RefusesBitsOfNoObject) {
  Parts parts;
  parts.types.replace(0, bits(0).size(), bits(0x13));
  EXPECT_NE(words_of(parts.text()).find("bit 4 of 4"), std::string::npos);
  // A run of a few words can stand for billions of bits: nothing is unfolded to see that.
  parts.types.replace(0, bits(0).size(), ewah_text(4, {ewah_marker(true, 0xffffffff, 1), 1}));
  EXPECT_NE(words_of(parts.text()).find("corrupt ewah bitmap at offset 32"), std::string::npos);
  // In a layer of a chain the bits of lower layers count.
  parts = Parts();
  parts.types.replace(0, bits(0).size(), bits(0x13));
  EXPECT_EQ(words_of(parts.text(), {4, 5}), "");
}

TEST(Bitmap, RefusesAMarkerThatIsElsewhere) {
  Parts parts;
  std::string bitmap = bits(0x3);
  bitmap.back() = 1;  // a literal word
  parts.types.replace(0, bitmap.size(), bitmap);
  EXPECT_NE(words_of(parts.text()).find("its last marker is elsewhere"), std::string::npos);
}

TEST(Bitmap, TheLookupTableMustFitTheEntries) {
  const Parts plain;
  Parts parts;
  parts.flags = 0x1 | 0x10;
  const std::string rows = be32_text(0) + be64_text(plain.first_entry()) + be32_text(0xffffffff) +
                           be32_text(3) + be64_text(plain.second_entry()) + be32_text(0);
  parts.extensions = rows;
  EXPECT_EQ(words_of(parts.text()), "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    parts.extensions = rows;
    parts.extensions[i] ^= 1;
    EXPECT_NE(words_of(parts.text()).find("corrupt bitmap lookup table: row "), std::string::npos)
        << i;
  }
}

TEST(Bitmap, PseudoMergesMustLieOneBehindTheOther) {
  Parts parts;
  parts.flags = 0x1 | 0x20;
  const std::uint64_t begin = parts.first_entry() + parts.entries.size();
  const std::string merges = bits(0x3) + bits(0xf);
  const auto table = [&](std::uint64_t at) {
    const std::string commits = be32_text(0) + be64_text(begin);
    std::string text =
        merges + commits + be64_text(at) + be32_text(1) + be32_text(1) + be64_text(merges.size());
    return text + be64_text(text.size() + 8);
  };
  parts.extensions = table(begin);
  EXPECT_EQ(words_of(parts.text()), "");
  parts.extensions = table(begin + 1);
  EXPECT_NE(words_of(parts.text()).find("corrupt pseudo-merge 0"), std::string::npos);
  parts.extensions = table(begin);
  parts.extensions.replace(parts.extensions.size() - 8, 8, be64_text(0xffffffffffffffff));
  EXPECT_EQ(words_of(parts.text()),
            "corrupted bitmap index file (too short to fit pseudo-merge table)");
  parts.extensions.replace(parts.extensions.size() - 8, 8, be64_text(23));
  EXPECT_EQ(words_of(parts.text()), "corrupted bitmap index file, pseudo-merge table too short");
}

TEST(Bitmap, SurvivesAnyDamage) {
  Parts parts;
  parts.flags = 0x1 | 0x4 | 0x10;
  parts.extensions = be32_text(0) + be64_text(parts.first_entry()) + be32_text(0xffffffff) +
                     be32_text(3) + be64_text(parts.second_entry()) + be32_text(0) +
                     std::string(16, 'h');
  const std::string text = parts.text();
  ASSERT_EQ(words_of(text), "");
  std::size_t refused = 0;
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    refused += BitmapFile::parse(bytes, HashKind::kSha1, kFour) ? 0 : 1;
  });
  EXPECT_GT(refused, text.size() * 3);
}

}  // namespace
}  // namespace assay
