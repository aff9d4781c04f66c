#include "store/pack/pack_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <optional>

#include "tests/support/temporary_directory.h"

namespace assay {
namespace {

using testing::TemporaryDirectory;

// A pack with these bytes where entries are; the trailer is 20 bytes of 0xee.
class PackFileTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kFirst = PackFile::kHeaderSize;

  Bytes with_header(Bytes entries) {
    Bytes pack{'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 7};  // version 2, 7 objects
    pack.insert(pack.end(), entries.begin(), entries.end());
    pack.insert(pack.end(), 20, 0xee);
    return pack;
  }
  Result<PackFile> open(const Bytes& bytes, HashKind kind = HashKind::kSha1) {
    directory_.write("p.pack", as_text(bytes));
    return PackFile::open(os::System::real(), directory_.path("p.pack"), kind, "p.pack");
  }
  std::string refusal(const Bytes& bytes) {
    const auto pack = open(bytes);
    if (pack) return "accepted";
    EXPECT_EQ(MessageId::kPackBad, pack.error().id);
    return pack.error().text;
  }
  // The header of the entry at the start of `entries`.
  Result<EntryHeader> header(Bytes entries, std::uint64_t offset = kFirst) {
    pack_ = *open(with_header(std::move(entries)));
    return pack_->entry_header({offset});
  }
  std::string header_refusal(Bytes entries, std::uint64_t offset = kFirst) {
    const auto result = header(std::move(entries), offset);
    if (result) return "accepted";
    EXPECT_EQ(offset, result.error().offset);
    return result.error().text;
  }

  TemporaryDirectory directory_;
  std::optional<PackFile> pack_;
};

TEST_F(PackFileTest, HeaderAndTrailer) {
  const auto pack = open(with_header({1, 2, 3}));
  ASSERT_TRUE(pack);
  EXPECT_EQ("p.pack", pack->path());
  EXPECT_EQ(7u, pack->declared_count());
  EXPECT_EQ(15u, pack->end_of_entries());
  EXPECT_EQ(0xee, pack->trailer()[0]);
  EXPECT_EQ(20u, pack->trailer().size());
}

TEST_F(PackFileTest, RefusalsAreInTheWordsOfGit) {
  EXPECT_EQ("file p.pack is far too short to be a packfile", refusal({}));
  Bytes bytes = with_header({});
  EXPECT_EQ("accepted", refusal(bytes));
  bytes.pop_back();
  EXPECT_EQ("file p.pack is far too short to be a packfile", refusal(bytes));
  bytes = with_header({});
  bytes[0] = 'p';
  EXPECT_EQ("file p.pack is not a GIT packfile", refusal(bytes));
  bytes = with_header({});
  bytes[7] = 4;
  EXPECT_EQ("packfile p.pack is version 4 and not supported (try upgrading GIT to a newer version)",
            refusal(bytes));
  bytes[7] = 3;
  EXPECT_EQ("accepted", refusal(bytes));
}

TEST_F(PackFileTest, WhatIsNoFileIsRefused) {
  const auto absent =
      PackFile::open(os::System::real(), directory_.path("x"), HashKind::kSha1, "x.pack");
  ASSERT_FALSE(absent);
  EXPECT_EQ("packfile x.pack cannot be accessed: No such file or directory", absent.error().text);
  const auto folder =
      PackFile::open(os::System::real(), directory_.path(), HashKind::kSha1, "x.pack");
  ASSERT_FALSE(folder);
  ASSERT_EQ(0, ::mkfifo(directory_.path("fifo").c_str(), 0600));
  EXPECT_FALSE(  // and does not wait for a writer
      PackFile::open(os::System::real(), directory_.path("fifo"), HashKind::kSha1, "x.pack"));
}

TEST_F(PackFileTest, ASymbolicLinkToAPackIsFollowed) {
  directory_.write("real", as_text(with_header({})));
  std::filesystem::create_symlink("real", directory_.path("link.pack"));
  EXPECT_TRUE(
      PackFile::open(os::System::real(), directory_.path("link.pack"), HashKind::kSha1, "l.pack"));
}

TEST_F(PackFileTest, WholeObjects) {
  // Bits: 1 more follow, 3 type, 4 size.
  const std::pair<std::uint8_t, EntryKind> kinds[] = {{0x15, EntryKind::kCommit},
                                                      {0x25, EntryKind::kTree},
                                                      {0x35, EntryKind::kBlob},
                                                      {0x45, EntryKind::kTag}};
  for (const auto& [byte, kind] : kinds) {
    const auto result = header({byte});
    ASSERT_TRUE(result);
    EXPECT_EQ(kind, result->kind);
    EXPECT_FALSE(is_delta(result->kind));
    EXPECT_EQ(5u, result->inflated_size);
    EXPECT_EQ(1u, result->header_size);
  }
}

TEST_F(PackFileTest, SizesGrowBySevenBits) {
  const auto result = header({0xb5, 0x81, 0x02});  // 5 + (1 << 4) + (2 << 11)
  ASSERT_TRUE(result);
  EXPECT_EQ(5u + 16u + 4096u, result->inflated_size);
  EXPECT_EQ(3u, result->header_size);
}

TEST_F(PackFileTest, SizesThatDoNotFit64BitsAreRefused) {
  Bytes largest{0xbf};
  largest.insert(largest.end(), 8, 0xff);  // 4 + 56 bits
  largest.push_back(0x0f);                 // the last 4
  const auto result = header(largest);
  ASSERT_TRUE(result);
  EXPECT_EQ(~std::uint64_t{0}, result->inflated_size);
  largest.back() = 0x1f;
  EXPECT_EQ("bad object header", header_refusal(largest));
  largest.back() = 0x8f;
  largest.push_back(0);
  EXPECT_EQ("bad object header", header_refusal(largest));
}

TEST_F(PackFileTest, HeadersCutShortByTheTrailerAreRefused) {
  EXPECT_EQ("bad object header", header_refusal({0xb5}));
  EXPECT_EQ("bad object header", header_refusal({0xb5, 0x80}));
  const std::string no_base = "failed to validate delta base reference at offset 12 from p.pack";
  EXPECT_EQ(no_base, header_refusal({0x65}));
  EXPECT_EQ(no_base, header_refusal({0x65, 0x80}));
  Bytes by_id{0x75};
  by_id.resize(20);
  EXPECT_EQ(no_base, header_refusal(by_id));
  by_id.resize(21);
  EXPECT_TRUE(header(by_id));
}

TEST_F(PackFileTest, UnknownTypesAreRefused) {
  EXPECT_EQ("unknown object type 0 at offset 12 in p.pack", header_refusal({0x05}));
  EXPECT_EQ("unknown object type 5 at offset 12 in p.pack", header_refusal({0x55}));
}

TEST_F(PackFileTest, OffsetsOutsideTheEntriesAreRefused) {
  EXPECT_EQ("offset 11 is outside the entries of p.pack", header_refusal({0x35}, 11));
  EXPECT_EQ("accepted", header_refusal({0x35}, 12));
  EXPECT_EQ("offset 13 is outside the entries of p.pack", header_refusal({0x35}, 13));
  EXPECT_EQ("offset 0 is outside the entries of p.pack", header_refusal({0x35}, 0));
  EXPECT_FALSE(header({0x35}, ~std::uint64_t{0}));
}

TEST_F(PackFileTest, BasesByDistance) {
  Bytes entries(300, 0);
  entries[200] = 0x63;  // delta of 3 bytes, base by distance
  entries[201] = 0x05;
  auto result = header(entries, kFirst + 200);
  ASSERT_TRUE(result);
  EXPECT_EQ(EntryKind::kOffsetDelta, result->kind);
  EXPECT_TRUE(is_delta(result->kind));
  EXPECT_EQ(kFirst + 195, result->base_offset.value);
  EXPECT_EQ(2u, result->header_size);
  // Two groups: ((0 + 1) << 7) + 8, the smallest distance that one group cannot say is 128.
  entries[201] = 0x80;
  entries[202] = 0x08;
  result = header(entries, kFirst + 200);
  ASSERT_TRUE(result);
  EXPECT_EQ(kFirst + 200 - 136, result->base_offset.value);
  EXPECT_EQ(3u, result->header_size);
}

TEST_F(PackFileTest, BasesThatCannotBeAreRefused) {
  Bytes entries(30, 0);
  const auto refusal_of = [&](Bytes distance) {
    Bytes changed = entries;
    changed[20] = 0x63;
    std::copy(distance.begin(), distance.end(), changed.begin() + 21);
    const auto result = header(changed, kFirst + 20);
    if (result) return std::string("accepted");
    EXPECT_EQ(MessageId::kDeltaBaseBad, result.error().id);
    return result.error().text;
  };
  const std::string bad = "failed to validate delta base reference at offset 32 from p.pack";
  EXPECT_EQ(bad, refusal_of({0x00}));         // itself
  EXPECT_EQ(bad, refusal_of({0x20}));         // 32: the start of the file
  EXPECT_EQ("accepted", refusal_of({0x1f}));  // in the header: no entry is there, but that is later
  EXPECT_EQ(bad, refusal_of({0x21}));         // before the file
  EXPECT_EQ(bad, refusal_of({0xff, 0xff, 0xff, 0x7f}));
  EXPECT_EQ(bad, refusal_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}));  // 2^63
}

TEST_F(PackFileTest, BasesById) {
  Bytes entries{0xf3, 0x01};
  for (std::uint8_t i = 0; i < 20; ++i) entries.push_back(static_cast<std::uint8_t>(0xa0 + i));
  entries.push_back(0x78);
  const auto result = header(entries);
  ASSERT_TRUE(result);
  EXPECT_EQ(EntryKind::kRefDelta, result->kind);
  EXPECT_EQ(19u, result->inflated_size);
  ASSERT_NE(nullptr, result->base_id);
  EXPECT_EQ(0xa0, result->base_id[0]);
  EXPECT_EQ(0xb3, result->base_id[19]);
  EXPECT_EQ(22u, result->header_size);
}

TEST_F(PackFileTest, BasesByIdOf32Bytes) {
  Bytes bytes{'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 1, 0x73};
  bytes.insert(bytes.end(), 32, 0xab);
  bytes.insert(bytes.end(), 32, 0xee);
  auto pack = open(bytes, HashKind::kSha256);
  ASSERT_TRUE(pack);
  const auto result = pack->entry_header({12});
  ASSERT_TRUE(result);
  EXPECT_EQ(33u, result->header_size);
  bytes.erase(bytes.begin() + 20);
  pack = open(bytes, HashKind::kSha256);
  EXPECT_FALSE(pack->entry_header({12}));
}

}  // namespace
}  // namespace assay
