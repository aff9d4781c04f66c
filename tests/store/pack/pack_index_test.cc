#include "store/pack/pack_index.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/guarded_bytes.h"

namespace assay {
namespace {

using testing::GuardedBytes;
using testing::GuardedEdge;

void put32(Bytes& out, std::uint64_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void put64(Bytes& out, std::uint64_t value) {
  put32(out, value >> 32);
  put32(out, value & 0xffffffffu);
}

// An id that begins with these bytes and goes on with their last one.
void put_id(Bytes& out, std::initializer_list<std::uint8_t> start,
            HashKind kind = HashKind::kSha1) {
  Bytes id(start);
  id.resize(id_size(kind), *(start.end() - 1));
  out.insert(out.end(), id.begin(), id.end());
}

ObjectId id_of(std::initializer_list<std::uint8_t> start, HashKind kind = HashKind::kSha1) {
  Bytes id;
  put_id(id, start, kind);
  return ObjectId::from_raw(id.data(), kind);
}

// Three ids: 01.., 7f 01.., 7f 80..; `count_of` says how many are at most that first byte.
void put_fanout(Bytes& out) {
  for (unsigned byte = 0; byte < 256; ++byte) put32(out, byte < 1 ? 0 : byte < 0x7f ? 1 : 3);
}

Bytes version_1() {
  Bytes out;
  put_fanout(out);
  put32(out, 12);  // offset in the pack, then the id
  put_id(out, {0x01});
  put32(out, 0xfffffff0);  // all 32 bits are the offset
  put_id(out, {0x7f, 0x01});
  put32(out, 345);
  put_id(out, {0x7f, 0x80});
  put_id(out, {0xaa});  // checksum of the pack
  put_id(out, {0xbb});  // checksum of the index
  return out;
}

Bytes version_2(HashKind kind = HashKind::kSha1) {
  Bytes out;
  put32(out, 0xff744f63);  // "\377tOc"
  put32(out, 2);           // version
  put_fanout(out);
  put_id(out, {0x01}, kind);
  put_id(out, {0x7f, 0x01}, kind);
  put_id(out, {0x7f, 0x80}, kind);
  put32(out, 0x11111111);  // CRC-32 of the entries
  put32(out, 0x22222222);
  put32(out, 0x33333333);
  put32(out, 12);          // offsets
  put32(out, 0x80000001);  // the second of the 64-bit ones
  put32(out, 0x80000000);  // the first of them
  put64(out, 0x123456789a);
  put64(out, 0xfffffffffffffff0);
  put_id(out, {0xaa}, kind);  // checksum of the pack
  put_id(out, {0xbb}, kind);  // checksum of the index
  return out;
}

constexpr std::size_t kFanout2 = 8;                        // where things begin in version 2
constexpr std::size_t kIds2 = kFanout2 + 1024;             //
constexpr std::size_t kOffsets2 = kIds2 + 3 * 20 + 3 * 4;  //

Result<PackIndex> parse(const Bytes& bytes, HashKind kind = HashKind::kSha1) {
  return PackIndex::parse(bytes, kind, "p.idx");
}

std::string refusal(const Bytes& bytes) {
  const auto index = parse(bytes);
  if (index) return "accepted";
  EXPECT_EQ(MessageId::kPackIndexBad, index.error().id);
  return index.error().text;
}

TEST(PackIndex, Version1) {
  const Bytes bytes = version_1();
  const auto index = parse(bytes);
  ASSERT_TRUE(index);
  EXPECT_EQ(1, index->version());
  ASSERT_EQ(3u, index->count());
  EXPECT_EQ(id_of({0x01}), index->id({0}));
  EXPECT_EQ(id_of({0x7f, 0x01}), index->id({1}));
  EXPECT_EQ(id_of({0x7f, 0x80}), index->id({2}));
  EXPECT_EQ(12u, index->offset({0})->value);
  EXPECT_EQ(0xfffffff0u, index->offset({1})->value);
  EXPECT_EQ(345u, index->offset({2})->value);
  EXPECT_FALSE(index->has_crc());
  EXPECT_EQ(0xaa, index->pack_checksum()[0]);
  EXPECT_EQ(0xbb, index->stored_checksum()[19]);
  EXPECT_EQ(bytes.size() - 20, index->checksummed_bytes().size());
  EXPECT_EQ(1u, index->find(id_of({0x7f, 0x01}).data())->value);
  EXPECT_FALSE(index->first_out_of_order());
}

TEST(PackIndex, Version2) {
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    const Bytes bytes = version_2(kind);
    const auto index = parse(bytes, kind);
    ASSERT_TRUE(index);
    EXPECT_EQ(2, index->version());
    ASSERT_EQ(3u, index->count());
    EXPECT_EQ(id_of({0x01}, kind), index->id({0}));
    EXPECT_EQ(id_of({0x7f, 0x80}, kind), index->id({2}));
    EXPECT_TRUE(index->has_crc());
    EXPECT_EQ(0x11111111u, index->crc({0}));
    EXPECT_EQ(0x33333333u, index->crc({2}));
    EXPECT_EQ(12u, index->offset({0})->value);
    EXPECT_EQ(0xfffffffffffffff0u, index->offset({1})->value);
    EXPECT_EQ(0x123456789au, index->offset({2})->value);
    EXPECT_EQ(0xaa, index->pack_checksum()[id_size(kind) - 1]);
    EXPECT_EQ(0xbb, index->stored_checksum()[0]);
    EXPECT_EQ(id_size(kind), index->pack_checksum().size());
    EXPECT_FALSE(index->first_out_of_order());
  }
}

TEST(PackIndex, AnEmptyIndexIsGood) {
  Bytes bytes;
  put32(bytes, 0xff744f63);
  put32(bytes, 2);
  bytes.resize(bytes.size() + 1024 + 40);
  const auto index = parse(bytes);
  ASSERT_TRUE(index);
  EXPECT_EQ(0u, index->count());
  EXPECT_FALSE(index->find(id_of({0x01}).data()));
  EXPECT_EQ((std::pair<std::uint32_t, std::uint32_t>(0, 0)), index->find_prefix(""));
  EXPECT_FALSE(index->first_out_of_order());
  bytes.resize(1024 + 40);  // the same without signature is version 1
  std::fill(bytes.begin(), bytes.end(), 0);
  EXPECT_EQ(1, parse(bytes)->version());
}

TEST(PackIndex, A64BitOffsetOutsideItsTableIsNone) {
  Bytes bytes = version_2();
  bytes[kOffsets2 + 7] = 2;  // the third of two
  auto index = parse(bytes);
  ASSERT_TRUE(index);
  EXPECT_FALSE(index->offset({1}));
  EXPECT_TRUE(index->offset({2}));
  bytes[kOffsets2 + 4] = 0xff;  // far away: no overflow brings it back
  bytes[kOffsets2 + 5] = 0xff;
  bytes[kOffsets2 + 6] = 0xff;
  bytes[kOffsets2 + 7] = 0xff;
  index = parse(bytes);
  EXPECT_FALSE(index->offset({1}));
}

TEST(PackIndex, RefusalsAreInTheWordsOfGit) {
  EXPECT_EQ("index file p.idx is too small", refusal({}));
  Bytes bytes = version_2();
  EXPECT_EQ("index file p.idx is too small", refusal(Bytes(bytes.begin(), bytes.begin() + 1063)));
  bytes[7] = 3;
  EXPECT_EQ(
      "index file p.idx is version 3 and is not supported by this binary (try upgrading GIT to a "
      "newer version)",
      refusal(bytes));
  bytes = version_2();
  bytes[kFanout2 + 4 * 0x80] = 0xff;  // more than those behind it
  EXPECT_EQ("non-monotonic index p.idx", refusal(bytes));
  bytes = version_2();
  bytes.push_back(0);  // beyond the (count - 1) 64-bit offsets that there may be
  EXPECT_EQ("wrong index v2 file size in p.idx", refusal(bytes));
  bytes = version_2();
  bytes.resize(bytes.size() - 17);  // one byte of the 32-bit table is missing
  EXPECT_EQ("wrong index v2 file size in p.idx", refusal(bytes));
  bytes = version_1();
  bytes.push_back(0);
  EXPECT_EQ("wrong index v1 file size in p.idx", refusal(bytes));
  bytes = version_1();
  bytes[kFanout2 - 8 + 1020] = 0xff;  // four thousand million objects in a small file
  EXPECT_EQ("wrong index v1 file size in p.idx", refusal(bytes));
}

TEST(PackIndex, FindsByHalvingWithinTheFanout) {
  // 1,000 ids that share first bytes with others.
  std::vector<ObjectId> ids;
  for (unsigned i = 0; i < 1000; ++i) {
    ids.push_back(id_of({static_cast<std::uint8_t>(i / 7), static_cast<std::uint8_t>(i % 7 * 2),
                         static_cast<std::uint8_t>(i)}));
  }
  Bytes bytes;
  put32(bytes, 0xff744f63);
  put32(bytes, 2);
  for (unsigned byte = 0; byte < 256; ++byte) put32(bytes, std::min(1000u, (byte + 1) * 7));
  for (const ObjectId& id : ids) bytes.insert(bytes.end(), id.data(), id.data() + 20);
  bytes.resize(bytes.size() + 8000 + 40);
  const auto index = parse(bytes);
  ASSERT_TRUE(index);
  EXPECT_FALSE(index->first_out_of_order());
  for (unsigned i = 0; i < 1000; ++i) {
    ASSERT_TRUE(index->find(ids[i].data())) << i;
    EXPECT_EQ(i, index->find(ids[i].data())->value);
    Bytes absent(ids[i].data(), ids[i].data() + 20);
    absent[1] = static_cast<std::uint8_t>(absent[1] + 1);
    EXPECT_FALSE(index->find(absent.data())) << i;
  }
}

TEST(PackIndex, PrefixesAreHexDigits) {
  const Bytes bytes = version_2();
  const auto index = parse(bytes);
  ASSERT_TRUE(index);
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(Range(0, 3), index->find_prefix(""));
  EXPECT_EQ(Range(0, 1), index->find_prefix("0"));
  EXPECT_EQ(Range(1, 3), index->find_prefix("7"));
  EXPECT_EQ(Range(1, 3), index->find_prefix("7F"));
  EXPECT_EQ(Range(1, 2), index->find_prefix("7f0"));
  EXPECT_EQ(Range(2, 3), index->find_prefix("7f8"));
  EXPECT_EQ(Range(2, 2), index->find_prefix("7f7"));
  EXPECT_EQ(Range(3, 3), index->find_prefix("ff"));
  EXPECT_EQ(Range(0, 0), index->find_prefix("7g"));
  const std::string whole = id_of({0x7f, 0x80}).hex();
  EXPECT_EQ(Range(2, 3), index->find_prefix(whole));
  EXPECT_EQ(Range(0, 0), index->find_prefix(whole + "0"));
}

TEST(PackIndex, OutOfOrder) {
  Bytes bytes = version_2();
  bytes[kIds2 + 21] = 0xff;  // 7f ff.. before 7f 80..
  EXPECT_EQ(2u, parse(bytes)->first_out_of_order()->value);
  bytes = version_2();
  bytes[kIds2 + 20] = 0x7e;  // does not begin as the fanout says
  EXPECT_EQ(1u, parse(bytes)->first_out_of_order()->value);
  bytes = version_2();
  bytes[kFanout2 + 3] = 1;  // 01.. counted among those that begin with 00
  EXPECT_EQ(0u, parse(bytes)->first_out_of_order()->value);
  bytes = version_2();
  std::copy_n(bytes.begin() + kIds2 + 20, 20, bytes.begin() + kIds2 + 40);
  EXPECT_FALSE(parse(bytes)->first_out_of_order());  // twice is in order
}

// Asks everything that can be asked.
void touch_everything(const PackIndex& index) {
  for (std::uint32_t i = 0; i < index.count(); ++i) {
    index.offset({i});
    if (index.has_crc()) index.crc({i});
    const ObjectId id = index.id({i});
    index.find(id.data());
    index.find_prefix(id.hex().substr(0, 5));
  }
  index.find(id_of({0x00}).data());
  index.find(id_of({0xff}).data());
  index.first_out_of_order();
  EXPECT_EQ(20u, index.pack_checksum().size());
}

TEST(PackIndex, DamageLeadsNeverOutside) {
  int accepted = 0;
  for (const Bytes& sound : {version_1(), version_2()}) {
    const auto try_bytes = [&](const Bytes& bytes) {
      const GuardedBytes guarded(bytes, 0, GuardedEdge::kBack);
      const auto index = PackIndex::parse(guarded.view(), HashKind::kSha1, "p.idx");
      if (!index) return;
      ++accepted;
      touch_everything(*index);
    };
    for (std::size_t size = 0; size < sound.size(); ++size) {
      Bytes cut = sound;
      cut.resize(size);
      try_bytes(cut);
    }
    for (std::size_t i = 0; i < sound.size(); ++i) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        Bytes flipped = sound;
        flipped[i] ^= static_cast<std::uint8_t>(flip);
        try_bytes(flipped);
      }
    }
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace assay
