// One test body for the generic code and the assembly.

#include "fixtures/noise/rc4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fixtures/noise/noise.h"
#include "tests/support/changed_registers.h"

namespace assay::noise {

// How GoogleTest names the parameter.
static void PrintTo(const Rc4Kernel& kernel, std::ostream* out) { *out << kernel.name; }

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Vector {
  const char* key;
  const char* streams[18];
};

constexpr unsigned kOffsets[18] = {0,    16,   240,  256,  496,  512,  752,  768,  1008,
                                   1024, 1520, 1536, 2032, 2048, 3056, 3072, 4080, 4096};

constexpr Vector kVectors[] = {
#include "tests/noise/rfc6229_vectors.inc"
};

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Written down from the description of the cipher, sharing nothing with the code under test.
Bytes reference_stream(const Bytes& key, std::size_t size) {
  unsigned s[256];
  for (unsigned i = 0; i < 256; ++i) s[i] = i;
  for (unsigned i = 0, j = 0; i < 256; ++i) {
    j = (j + s[i] + key[i % key.size()]) % 256;
    std::swap(s[i], s[j]);
  }
  Bytes stream;
  for (unsigned i = 0, j = 0; stream.size() < size;) {
    i = (i + 1) % 256;
    j = (j + s[i]) % 256;
    std::swap(s[i], s[j]);
    stream.push_back(static_cast<std::uint8_t>(s[(s[i] + s[j]) % 256]));
  }
  return stream;
}

class Rc4Test : public ::testing::TestWithParam<Rc4Kernel> {
 protected:
  Bytes stream(const Bytes& key, std::size_t size) const {
    Rc4 rc4(key, GetParam());
    Bytes out(size);
    rc4.fill(out);
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Rc4Test,
                         ::testing::ValuesIn(rc4_kernels().begin(), rc4_kernels().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Rc4Test, GivesTheStreamsOfRfc6229) {
  for (const Vector& vector : kVectors) {
    const Bytes out = stream(from_hex(vector.key), 4112);
    for (std::size_t i = 0; i < std::size(kOffsets); ++i) {
      EXPECT_EQ(Bytes(out.begin() + kOffsets[i], out.begin() + kOffsets[i] + 16),
                from_hex(vector.streams[i]))
          << "key " << vector.key << " offset " << kOffsets[i];
    }
  }
}

// A swap may hit a place whose value was loaded early; in a megabyte every such case occurs often.
TEST_P(Rc4Test, EqualsTheReferenceOverALongStream) {
  const Bytes key = {0x42, 0x17, 0x99};
  EXPECT_TRUE(stream(key, 1 << 20) == reference_stream(key, 1 << 20));
}

// Every length and every place in s to begin at: groups, rests and the wrap at 256.
TEST_P(Rc4Test, EverySplitGivesTheSameStream) {
  const Bytes key = {1, 2, 3, 4, 5};
  const Bytes expected = reference_stream(key, 70'000);
  Rc4 rc4(key, GetParam());
  std::size_t done = 0;
  for (std::size_t length = 0; done + length <= expected.size(); length = (length + 1) % 300) {
    Bytes piece(length);
    rc4.fill(piece);
    ASSERT_TRUE(std::equal(piece.begin(), piece.end(), expected.begin() + done))
        << length << " bytes at " << done;
    done += length;
  }
  EXPECT_GT(done, 65'536u);
}

TEST_P(Rc4Test, XorsInPlaceAndElsewhereAndTouchesNothingElse) {
  const Bytes key = {7, 7, 7};
  for (std::size_t size = 0; size < 40; ++size) {
    Noise noise("plain text " + std::to_string(size));
    const Bytes plain = noise.bytes(size);
    const Bytes expected = reference_stream(key, size);
    Bytes apart(size + 16, 0xee);
    Rc4(key, GetParam()).xor_bytes(apart.data() + 8, plain.data(), size);
    Bytes in_place = plain;
    Rc4(key, GetParam()).xor_bytes(in_place.data(), in_place.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(apart[8 + i], plain[i] ^ expected[i]);
      EXPECT_EQ(in_place[i], plain[i] ^ expected[i]);
    }
    EXPECT_EQ(std::count(apart.begin(), apart.begin() + 8, 0xee), 8);
    EXPECT_EQ(std::count(apart.end() - 8, apart.end(), 0xee), 8);
  }
}

#if defined(ASSAY_NOISE_ASM) && defined(ASSAY_TEST_CHANGED_REGISTERS)
TEST_P(Rc4Test, PreservesTheRegistersOfTheCaller) {
  Rc4State state{};
  for (unsigned i = 0; i < 256; ++i) state.s[i] = static_cast<std::uint8_t>(i * 7);
  for (const std::size_t size : {0, 1, 7, 8, 9, 64, 1000}) {
    Bytes bytes(size);
    EXPECT_EQ(
        testing::changed_registers(GetParam().xor_bytes, &state, bytes.data(), bytes.data(), size),
        0u)
        << size << " bytes";
  }
}
#endif

TEST(NoiseTest, IsTheSameForANameAndAnotherForAnother) {
  // "Plaintext" of the well-known vectors of RC4 for the key "Key".
  EXPECT_EQ(Noise("Key").bytes(10), from_hex("eb9f7781b734ca72a719"));
  EXPECT_EQ(Noise("Key").next(), 0xeb9f7781b734ca72u);
  EXPECT_NE(Noise("Key").bytes(16), Noise("Kez").bytes(16));
}

TEST(NoiseTest, NumbersKeepTheirRangeAndDistribution) {
  Noise noise("distribution");
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    EXPECT_LT(noise.below(7), 7u);
    const double unit = noise.unit();
    EXPECT_TRUE(unit >= 0 && unit < 1);
    const double normal = noise.normal();
    sum += normal;
    squares += normal * normal;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);
  EXPECT_NEAR(squares / kCount, 1, 0.05);
}

}  // namespace
}  // namespace assay::noise
