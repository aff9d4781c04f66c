// Hashing one message, on every kernel.

#include "sha1/sha1.h"

#include "sha1/padding.h"
#include "tests/sha1/support.h"

namespace assay::sha1 {
namespace {

class Sha1Test : public PerKernel {
 protected:
  Digest digest(std::span<const std::uint8_t> message, Detect detect = Detect::kOn) const {
    Hasher hasher(detect, kernels());
    hasher.update(message);
    const Result result = hasher.finish();
    EXPECT_FALSE(result.collision);
    return result.digest;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Sha1Test, ::testing::ValuesIn(all_kernel_names()), kernel_test_name);

// NIST's examples for FIPS 180 ("SHA1.pdf" and the older appendix A), and the empty message.
TEST_P(Sha1Test, FipsVectors) {
  EXPECT_EQ(to_hex(digest({})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(to_hex(digest(bytes_of("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(digest(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(to_hex(digest(bytes_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"))),
            "a49b2446a02c645bf419f995b67091253a04a259");
  EXPECT_EQ(to_hex(digest(Bytes(1000000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST_P(Sha1Test, EveryLengthAroundEveryBlockBoundary) {
  const Bytes bytes = cycle_bytes(4096 + 64);
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 130; ++size) sizes.push_back(size);
  for (std::size_t boundary = 192; boundary <= 4096; boundary += 64) {
    for (std::size_t size = boundary - 9; size <= boundary + 1; ++size) sizes.push_back(size);
  }
  for (const std::size_t size : sizes) {
    const std::span<const std::uint8_t> message(bytes.data(), size);
    const Digest expected = reference_sha1(message);
    EXPECT_EQ(to_hex(digest(message)), to_hex(expected)) << size;
    EXPECT_EQ(to_hex(digest(message, Detect::kOff)), to_hex(expected)) << size;
    const Result whole = digest_of(message, Detect::kOn, kernels());
    EXPECT_EQ(to_hex(whole.digest), to_hex(expected)) << size;
    EXPECT_FALSE(whole.collision);
    EXPECT_EQ(to_hex(digest_of(message, Detect::kOff, kernels()).digest), to_hex(expected)) << size;
  }
}

TEST_P(Sha1Test, EveryAlignment) {
  for (std::size_t alignment = 0; alignment < 64; ++alignment) {
    const Bytes bytes = cycle_bytes(alignment + 1500);
    const std::span<const std::uint8_t> message(bytes.data() + alignment, 1500);
    EXPECT_EQ(to_hex(digest(message)), to_hex(reference_sha1(message)));
  }
}

TEST_P(Sha1Test, EverySplit) {
  const Bytes message = cycle_bytes(200);
  const std::string expected = to_hex(reference_sha1(message));
  for (std::size_t first = 0; first <= message.size(); ++first) {
    for (std::size_t second = first; second <= message.size(); second += 1 + second % 3) {
      Hasher hasher(Detect::kOn, kernels());
      hasher.update(message.data(), first);
      hasher.update(message.data() + first, second - first);
      hasher.update(message.data() + second, message.size() - second);
      EXPECT_EQ(hasher.length(), message.size());
      EXPECT_EQ(to_hex(hasher.finish().digest), expected);
    }
  }
}

TEST_P(Sha1Test, GuardPages) {
  GuardedBuffer buffer(4096);
  for (std::size_t size = 0; size <= 1100; size += 1 + size / 100) {
    for (const bool at_end : {false, true}) {
      const auto message = at_end ? buffer.at_end(size) : buffer.at_start(size);
      for (std::size_t i = 0; i < size; ++i) message[i] = static_cast<std::uint8_t>(i * 7);
      EXPECT_EQ(to_hex(digest(message)), to_hex(reference_sha1(message)));
    }
  }
}

TEST_P(Sha1Test, IsReusableAndCopyable) {
  Hasher hasher(Detect::kOn, kernels());
  hasher.update(bytes_of("ab"));
  Hasher copy = hasher;
  hasher.update(bytes_of("c"));
  EXPECT_EQ(to_hex(hasher.finish().digest), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(hasher.finish().digest), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  copy.update(bytes_of("c"));
  EXPECT_EQ(to_hex(copy.finish().digest), "a9993e364706816aba3e25717850c26c9cd0d89d");
  hasher.update(bytes_of("forgotten"));
  hasher.reset();
  EXPECT_EQ(to_hex(hasher.finish().digest), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

// Lengths that cross 2^32 bits, 2^32 bytes and more: continue from a state that claims to be there.
TEST_P(Sha1Test, CountsPastFourGigabytes) {
  for (const std::uint64_t seam : {std::uint64_t{1} << 29, std::uint64_t{1} << 32,
                                   std::uint64_t{1} << 35, std::uint64_t{1} << 60}) {
    for (const std::size_t more : {0, 1, 64, 119, 120, 200}) {
      Midstate midstate;
      midstate.length = seam - 64;
      const Bytes bytes = cycle_bytes(more);
      Hasher hasher(midstate, Detect::kOn, kernels());
      hasher.update(bytes);
      EXPECT_EQ(hasher.length(), seam - 64 + more);

      // By hand: the same bytes, a 1 bit, zeros, the length in bits.
      Bytes tail = bytes;
      tail.push_back(0x80);
      while (tail.size() % 64 != 56) tail.push_back(0);
      const std::uint64_t bits = (seam - 64 + more) * 8;
      for (int shift = 56; shift >= 0; shift -= 8) {
        tail.push_back(static_cast<std::uint8_t>(bits >> shift));
      }
      auto state = kInitialState;
      find_kernels("portable")->compress(state.data(), tail.data(), tail.size() / 64);
      Digest expected;
      for (std::size_t i = 0; i < 20; ++i) {
        expected[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
      }
      EXPECT_EQ(to_hex(hasher.finish().digest), to_hex(expected)) << seam << " + " << more;
    }
  }
}

TEST(PaddingTest, EncodesTheLengthInBits) {
  struct Case {
    std::uint64_t length;
    std::size_t blocks;
    const char* last_bytes;
  };
  // The length field is the number of bits, 64 bits, big-endian.
  const Case cases[] = {{0, 1, "0000000000000000"},
                        {55, 1, "00000000000001b8"},
                        {56, 2, "00000000000001c0"},
                        {63, 2, "00000000000001f8"},
                        {64, 1, "0000000000000200"},
                        {(1ULL << 29) - 1, 2, "00000000fffffff8"},
                        {1ULL << 29, 1, "0000000100000000"},
                        {(1ULL << 32) + 1, 1, "0000000800000008"},
                        {(1ULL << 61) - 1, 2, "fffffffffffffff8"}};
  for (const Case& c : cases) {
    const Bytes bytes(c.length % kBlockSize, 0xee);
    std::uint8_t tail[kTailRoom];
    EXPECT_EQ(write_tail(tail, bytes.data(), c.length), c.blocks);
    const std::size_t filled = bytes.size();
    for (std::size_t i = 0; i < filled; ++i) EXPECT_EQ(tail[i], 0xee);
    EXPECT_EQ(tail[filled], 0x80);
    const std::size_t end = c.blocks * kBlockSize;
    for (std::size_t i = filled + 1; i < end - 8; ++i) EXPECT_EQ(tail[i], 0);
    EXPECT_EQ(Bytes(tail + end - 8, tail + end), from_hex(c.last_bytes)) << c.length;
  }
}

TEST(DigestOfTest, HashesAWholeMessage) {
  const Result result = digest_of(bytes_of("abc"));
  EXPECT_EQ(to_hex(result.digest), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_FALSE(result.collision);
}

}  // namespace
}  // namespace assay::sha1
