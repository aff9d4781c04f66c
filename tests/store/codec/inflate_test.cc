#include "store/codec/inflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "store/codec/crc32.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::GuardedBytes;
using testing::GuardedEdge;
using testing::Random;

Bytes deflated(ByteView content, int level, int strategy = Z_DEFAULT_STRATEGY,
               int window_bits = 15) {
  z_stream stream = {};
  EXPECT_EQ(Z_OK, deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, strategy));
  Bytes out(deflateBound(&stream, content.size()) + 64);
  stream.next_in = const_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(Z_STREAM_END, deflate(&stream, Z_FINISH));
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Returns: what zlib makes of it, if it is a whole stream of exactly `size` bytes.
std::optional<Bytes> zlib_says(ByteView stream_bytes, std::size_t size, std::size_t& used) {
  z_stream stream = {};
  EXPECT_EQ(Z_OK, inflateInit(&stream));
  Bytes out(size + 1);
  stream.next_in = const_cast<Bytef*>(stream_bytes.data());
  stream.avail_in = static_cast<uInt>(stream_bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_FINISH);
  used = stream.total_in;
  const std::size_t produced = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END || produced != size) return std::nullopt;
  out.resize(size);
  return out;
}

struct Inflated {
  Bytes content;
  std::size_t used = 0;
};

// Input and output end where memory ends.
std::optional<Inflated> inflate_guarded(Inflater& inflater, ByteView stream, std::size_t size) {
  const GuardedBytes in(stream, 0, GuardedEdge::kBack);
  GuardedBytes out(size, 0, GuardedEdge::kBack);
  const auto used = inflater.inflate(in.view(), out.span());
  if (!used) {
    EXPECT_FALSE(used.error().text.empty());
    return std::nullopt;
  }
  return Inflated{Bytes(out.span().begin(), out.span().end()), *used};
}

Bytes text_like(Random& random, std::size_t size) {
  Bytes result;
  while (result.size() < size) {
    if (result.size() > 40 && random.below(3) != 0) {
      const std::size_t from = random.below(result.size() - 8);
      const std::size_t length = std::min(result.size() - from, 3 + random.below(40));
      for (std::size_t i = 0; i < length; ++i) result.push_back(result[from + i]);
    } else {
      result.push_back(static_cast<std::uint8_t>('a' + random.below(20)));
    }
  }
  result.resize(size);
  return result;
}

std::vector<Bytes> contents() {
  Random random(1);
  return {{},
          {'x'},
          Bytes(300, 0),
          random.bytes(2000),
          text_like(random, 500),
          text_like(random, 100000),
          Bytes(1 << 20, 7)};
}

TEST(Inflate, EveryLevelStrategyAndWindow) {
  Inflater inflater;
  for (const Bytes& content : contents()) {
    for (int level = 0; level <= 9; ++level) {
      for (int strategy = Z_DEFAULT_STRATEGY; strategy <= Z_FIXED; ++strategy) {
        for (const int window_bits : {9, 15}) {
          const Bytes stream = deflated(content, level, strategy, window_bits);
          const auto inflated = inflate_guarded(inflater, stream, content.size());
          ASSERT_TRUE(inflated) << content.size() << " bytes, level " << level << ", strategy "
                                << strategy;
          ASSERT_EQ(content, inflated->content);
          ASSERT_EQ(stream.size(), inflated->used);
        }
      }
    }
  }
}

TEST(Inflate, BytesBehindTheStreamAreNotUsed) {
  Inflater inflater;
  for (const Bytes& content : contents()) {
    Bytes stream = deflated(content, 6);
    const std::size_t size = stream.size();
    stream.insert(stream.end(), 40, 0x78);
    const auto inflated = inflate_guarded(inflater, stream, content.size());
    ASSERT_TRUE(inflated);
    EXPECT_EQ(size, inflated->used);
  }
}

TEST(Inflate, AnotherSizeThanDeclaredIsAFault) {
  Inflater inflater;
  for (const Bytes& content : contents()) {
    const Bytes stream = deflated(content, 6);
    Bytes out(content.size() + 2);
    for (const std::size_t more : {1u, 2u}) {
      const auto short_stream = inflater.inflate(stream, {out.data(), content.size() + more});
      ASSERT_FALSE(short_stream);
      EXPECT_EQ("inflate: stream is shorter than declared", short_stream.error().text);
    }
    for (const std::size_t less : {content.size() / 2, content.size() - 1}) {
      if (less >= content.size()) continue;
      const auto long_stream = inflater.inflate(stream, {out.data(), less});
      ASSERT_FALSE(long_stream);
      EXPECT_EQ("inflate: stream is longer than declared", long_stream.error().text);
      EXPECT_EQ(MessageId::kEntryUnpackable, long_stream.error().id);
    }
  }
}

TEST(Inflate, EveryTruncationIsAFault) {
  Inflater inflater;
  Random random(2);
  for (const Bytes& content : {Bytes(), Bytes{'x'}, text_like(random, 400), random.bytes(300)}) {
    for (const int level : {0, 1, 9}) {
      const Bytes stream = deflated(content, level);
      for (std::size_t size = 0; size < stream.size(); ++size) {
        ASSERT_FALSE(inflate_guarded(inflater, ByteView(stream).first(size), content.size()))
            << size << " of " << stream.size();
      }
    }
  }
}

TEST(Inflate, DamageIsJudgedAsZlibJudgesIt) {
  // zlib's word is final for what we refuse. What libdeflate accepts against zlib's word has the
  // right content all the same: the checksum is right.
  Inflater inflater;
  Random random(3);
  int tried = 0;
  int refused = 0;
  int lenient = 0;
  const auto try_stream = [&](const Bytes& damaged, const Bytes& content) {
    ++tried;
    std::size_t zlib_used = 0;
    const auto expected = zlib_says(damaged, content.size(), zlib_used);
    const auto got = inflate_guarded(inflater, damaged, content.size());
    if (!got) {
      ++refused;
      ASSERT_FALSE(expected);
    } else if (expected) {
      ASSERT_EQ(*expected, got->content);
      ASSERT_EQ(zlib_used, got->used);
    } else {
      ++lenient;
      ASSERT_EQ(content, got->content);
    }
  };
  for (int i = 0; i < 24; ++i) {
    const Bytes content = text_like(random, random.between(1, 260));
    const int strategy = i % 3 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY;
    const Bytes stream = deflated(content, 1 + i % 9, strategy);
    for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
      Bytes damaged = stream;
      damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      ASSERT_NO_FATAL_FAILURE(try_stream(damaged, content)) << "stream " << i << " bit " << bit;
    }
    for (int j = 0; j < 300; ++j) {
      Bytes damaged = stream;
      for (std::uint64_t k = random.between(1, 4); k > 0; --k) {
        damaged[random.below(damaged.size())] = static_cast<std::uint8_t>(random.next());
      }
      if (random.one_in(4)) damaged.insert(damaged.end(), 3, 0);
      ASSERT_NO_FATAL_FAILURE(try_stream(damaged, content)) << "stream " << i << " mutant " << j;
    }
  }
  EXPECT_GT(tried, 15000);
  EXPECT_GT(refused, tried * 9 / 10);
  EXPECT_LT(lenient, tried / 1000);
}

TEST(Inflate, ReasonsAreThoseOfGit) {
  Inflater inflater;
  const Bytes content(100, 'a');
  Bytes out(100);
  Bytes stream = deflated(content, 6);
  stream.back() ^= 1;
  EXPECT_EQ("inflate: data stream error (incorrect data check)",
            inflater.inflate(stream, out).error().text);
  stream[0] = 0x77;
  EXPECT_EQ("inflate: data stream error (incorrect header check)",
            inflater.inflate(stream, out).error().text);
  // 78 bb: with a preset dictionary, whose Adler-32 follows.
  const Bytes with_dictionary{0x78, 0xbb, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1};
  EXPECT_EQ("inflate: needs dictionary (no message)",
            inflater.inflate(with_dictionary, out).error().text);
}

TEST(Inflate, AMovedInflaterWorks) {
  const Bytes content{'a', 'b', 'c'};
  const Bytes stream = deflated(content, 6);
  Inflater first;
  Inflater second(std::move(first));
  first = Inflater();
  for (Inflater* inflater : {&first, &second}) {
    const auto inflated = inflate_guarded(*inflater, stream, 3);
    ASSERT_TRUE(inflated);
    EXPECT_EQ(content, inflated->content);
  }
}

TEST(Inflate, NoStreamGivesMoreThanTheLargestSize) {
  // What deflate packs tightest: one byte, again and again.
  for (const std::size_t size : {0u, 1u, 258u, 1000u, 100000u, 20000000u}) {
    const Bytes stream = deflated(Bytes(size, 0), 9);
    EXPECT_LE(size, max_inflated_size(stream.size()));
    // The bound is no further away than need be: a tenth and a little.
    EXPECT_GT(size + size / 10 + 20000, max_inflated_size(stream.size()));
  }
  std::uint64_t before = 0;
  for (std::uint64_t size = 1; size != 0; size *= 2) {
    EXPECT_GT(max_inflated_size(size), before) << size;
    if (max_inflated_size(size) == ~std::uint64_t{0}) break;
    before = max_inflated_size(size);
  }
  EXPECT_EQ(~std::uint64_t{0}, max_inflated_size(~std::uint64_t{0}));
}

TEST(Crc32, IsThatOfZlib) {
  EXPECT_EQ(0u, crc32_of({}));
  EXPECT_EQ(0xcbf43926u, crc32_of(as_bytes("123456789")));  // the check value of ISO 3309
  Random random(4);
  for (std::size_t size : {1u, 15u, 16u, 17u, 63u, 64u, 65u, 4097u}) {
    const Bytes bytes = random.bytes(size);
    EXPECT_EQ(::crc32(0, bytes.data(), static_cast<uInt>(size)), crc32_of(bytes)) << size;
  }
}

}  // namespace
}  // namespace assay
