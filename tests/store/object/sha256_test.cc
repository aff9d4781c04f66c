#include "store/object/sha256.h"

#include <gtest/gtest.h>

#include <string>

#include "store/base/object_id.h"

namespace assay {
namespace {

std::string hex_of(ByteView message, const Sha256Kernel& kernel) {
  Sha256 hasher(kernel);
  hasher.update(message);
  return to_hex(hasher.finish());
}

// FIPS 180-4 examples and the empty message.
TEST(Sha256, Vectors) {
  for (const Sha256Kernel& kernel : sha256_kernels()) {
    EXPECT_EQ(hex_of({}, kernel),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        << kernel.name;
    EXPECT_EQ(hex_of(as_bytes("abc"), kernel),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        << kernel.name;
    EXPECT_EQ(hex_of(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), kernel),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        << kernel.name;
    EXPECT_EQ(hex_of(as_bytes("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                              "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
                     kernel),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")
        << kernel.name;
    const Bytes million(1000000, 'a');
    EXPECT_EQ(hex_of(million, kernel),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        << kernel.name;
  }
}

TEST(Sha256, KernelsAgreeAtEveryLengthAndAlignment) {
  Bytes bytes(1300);
  std::uint32_t random = 1;
  for (std::uint8_t& byte : bytes) {
    random = random * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(random >> 24);
  }
  const Sha256Kernel& portable = sha256_kernels().back();
  EXPECT_EQ(portable.name, "portable");
  for (std::size_t size = 0; size <= 300; ++size) {
    const std::string expected = hex_of(ByteView(bytes).first(size), portable);
    for (const Sha256Kernel& kernel : sha256_kernels()) {
      for (std::size_t start = 0; start < 17; ++start) {
        Bytes moved(start, 0);
        moved.insert(moved.end(), bytes.begin(), bytes.begin() + static_cast<long>(size));
        EXPECT_EQ(hex_of(ByteView(moved).subspan(start), kernel), expected)
            << kernel.name << " " << size;
      }
    }
  }
}

TEST(Sha256, EverySplit) {
  Bytes bytes(200);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  const ByteView all = bytes;
  const std::string expected = hex_of(all, sha256_kernels().back());
  for (const Sha256Kernel& kernel : sha256_kernels()) {
    Sha256 hasher(kernel);  // one for all: finish() makes it new
    for (std::size_t first = 0; first <= all.size(); ++first) {
      for (std::size_t second = first; second <= all.size(); second += 13) {
        hasher.update(all.first(first));
        hasher.update(all.subspan(first, second - first));
        const Sha256 copy = hasher;
        hasher.update(all.subspan(second));
        EXPECT_EQ(to_hex(hasher.finish()), expected) << kernel.name << first << " " << second;
        Sha256 other = copy;
        other.update(all.subspan(second));
        EXPECT_EQ(to_hex(other.finish()), expected);
      }
    }
  }
}

}  // namespace
}  // namespace assay
