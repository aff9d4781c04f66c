#include "store/codec/zlib_stream.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace assay {
namespace {

using assay::testing::Random;

Bytes deflated(ByteView content, int level = -1) {
  ZlibDeflater deflater(level);
  Bytes result;
  Bytes window(4096);
  for (;;) {
    const ZlibStep step = deflater.run(content, window, true);
    result.insert(result.end(), window.begin(), window.begin() + step.produced);
    content = content.subspan(step.consumed);
    if (step.state == ZlibState::kEnd) return result;
  }
}

struct Inflated {
  Bytes content;
  std::size_t consumed = 0;
  ZlibState state = ZlibState::kMore;
};

// Feeds windows of at most these sizes until the stream ends, errs or nothing moves.
Inflated inflated(ZlibInflater& inflater, ByteView input, std::size_t in, std::size_t out) {
  inflater.reset();
  Inflated result;
  Bytes window(out);
  for (;;) {
    const ByteView piece =
        input.subspan(result.consumed).first(std::min(in, input.size() - result.consumed));
    const ZlibStep step = inflater.run(piece, window);
    result.consumed += step.consumed;
    result.content.insert(result.content.end(), window.begin(), window.begin() + step.produced);
    result.state = step.state;
    if (step.state == ZlibState::kEnd || step.state == ZlibState::kError) return result;
    if (step.consumed == 0 && step.produced == 0) return result;
  }
}

TEST(ZlibInflater, WindowsOfAnySizeGiveTheContent) {
  Random random(1);
  ZlibInflater inflater;
  for (const std::size_t size : {0, 1, 3, 4, 5, 100, 5000, 70000}) {
    Bytes content(size);
    for (std::uint8_t& byte : content) byte = static_cast<std::uint8_t>(random.below(7));
    const Bytes stream = deflated(content);
    Bytes followed = stream;
    followed.insert(followed.end(), {1, 2, 3, 4, 5});
    for (const std::size_t in : {1, 2, 3, 5, 64, 100000}) {
      for (const std::size_t out : {1, 7, 100000}) {
        const Inflated result = inflated(inflater, followed, in, out);
        EXPECT_EQ(ZlibState::kEnd, result.state) << size << ' ' << in << ' ' << out;
        EXPECT_EQ(content, result.content);
        EXPECT_EQ(stream.size(), result.consumed);
      }
    }
  }
}

TEST(ZlibInflater, AWrongChecksumIsSaidInZlibsWords) {
  const Bytes content(1000, 'x');
  const Bytes stream = deflated(content);
  ZlibInflater inflater;
  for (std::size_t byte = stream.size() - 4; byte < stream.size(); ++byte) {
    for (const std::size_t in : {1, 3, 100000}) {
      Bytes damaged = stream;
      damaged[byte] ^= 0x10;
      const Inflated result = inflated(inflater, damaged, in, 64);
      EXPECT_EQ(ZlibState::kError, result.state) << byte << ' ' << in;
      EXPECT_EQ(content, result.content);
      EXPECT_EQ("data stream error (incorrect data check)", inflater.error_text());
    }
  }
  // And not of the next stream.
  EXPECT_EQ(ZlibState::kEnd, inflated(inflater, stream, 100000, 64).state);
}

TEST(ZlibInflater, OtherDamageKeepsItsWords) {
  ZlibInflater inflater;
  Bytes stream = deflated(Bytes(1000, 'x'));
  stream[0] = 0x79;
  EXPECT_EQ(ZlibState::kError, inflated(inflater, stream, 100, 64).state);
  EXPECT_EQ("data stream error (incorrect header check)", inflater.error_text());
}

TEST(ZlibInflater, BitsThatMeanNothingAreNoticed) {
  Random random(2);
  ZlibInflater inflater;
  int padded = 0;
  for (const int level : {0, 1, 6}) {
    for (int i = 0; i < 20; ++i) {
      Bytes content(static_cast<std::size_t>(i) * 4000);  // several blocks of each kind
      for (std::uint8_t& byte : content) byte = static_cast<std::uint8_t>(random.below(200));
      const Bytes stream = deflated(content, level);
      for (const std::size_t in : {1, 3, 100000}) {
        EXPECT_EQ(ZlibState::kEnd, inflated(inflater, stream, in, 100).state);
        EXPECT_FALSE(inflater.has_stray_bits()) << level << ' ' << i << ' ' << in;
        // The highest bit of the byte before the checksum; where it means something it is no test.
        Bytes changed = stream;
        changed[changed.size() - 5] ^= 0x80;
        const Inflated result = inflated(inflater, changed, in, 100);
        if (level == 0 || result.state != ZlibState::kEnd || result.content != content) continue;
        EXPECT_TRUE(inflater.has_stray_bits()) << level << ' ' << i << ' ' << in;
        ++padded;
      }
    }
  }
  EXPECT_GT(padded, 60);
}

TEST(ZlibInflater, BitsBehindTheHeadsOfStoredBlocksAreNoticed) {
  ZlibInflater inflater;
  const Bytes content(70000, 'x');
  const Bytes stream = deflated(content, 0);
  // After the header of the stream, and after a block with its head of five bytes.
  std::size_t second = 2 + 5 + (stream[3] | std::size_t{stream[4]} << 8);
  ASSERT_LT(second, stream.size());
  for (const std::size_t at : {std::size_t{2}, second}) {
    for (const unsigned bit : {3, 5, 7}) {
      for (const std::size_t in : {1, 3, 100000}) {
        Bytes changed = stream;
        changed[at] ^= static_cast<std::uint8_t>(1U << bit);
        const Inflated result = inflated(inflater, changed, in, 1000);
        EXPECT_EQ(ZlibState::kEnd, result.state);
        EXPECT_EQ(content, result.content);
        EXPECT_TRUE(inflater.has_stray_bits()) << at << ' ' << bit << ' ' << in;
      }
    }
  }
  EXPECT_EQ(ZlibState::kEnd, inflated(inflater, stream, 7, 1000).state);
  EXPECT_FALSE(inflater.has_stray_bits());
}

TEST(ZlibInflater, AStreamWithoutItsEndStalls) {
  const Bytes stream = deflated(Bytes(1000, 'x'));
  ZlibInflater inflater;
  for (std::size_t size = 0; size < stream.size(); ++size) {
    EXPECT_EQ(ZlibState::kStalled, inflated(inflater, ByteView(stream).first(size), 100, 64).state)
        << size;
  }
}

}  // namespace
}  // namespace assay
