#include "tests/sha1/support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace assay::sha1 {

Bytes bytes_of(std::string_view text) { return Bytes(text.begin(), text.end()); }

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const std::string pair(hex.substr(i, 2));
    bytes.push_back(static_cast<std::uint8_t>(std::strtoul(pair.c_str(), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

Bytes cycle_bytes(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i % 251);
  return bytes;
}

std::uint64_t Random::next() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return (state_ * 0x2545f4914f6cdd1dULL) >> 16;
}

Bytes Random::bytes(std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(next());
  return bytes;
}

Digest reference_sha1(std::span<const std::uint8_t> message) {
  const auto rotate = [](std::uint32_t x, int n) { return x << n | x >> (32 - n); };
  Bytes padded(message.begin(), message.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded.push_back(static_cast<std::uint8_t>((std::uint64_t{message.size()} * 8) >> shift));
  }
  std::uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::uint32_t w[80];
    for (std::size_t t = 0; t < 16; ++t) {
      w[t] = 0;
      for (std::size_t i = 0; i < 4; ++i) w[t] = w[t] << 8 | padded[block + 4 * t + i];
    }
    for (std::size_t t = 16; t < 80; ++t) {
      w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    std::uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (std::size_t t = 0; t < 80; ++t) {
      std::uint32_t f = 0;
      std::uint32_t k = 0;
      if (t < 20) {
        f = (b & c) | (~b & d);
        k = 0x5a827999;
      } else if (t < 40) {
        f = b ^ c ^ d;
        k = 0x6ed9eba1;
      } else if (t < 60) {
        f = (b & c) | (b & d) | (c & d);
        k = 0x8f1bbcdc;
      } else {
        f = b ^ c ^ d;
        k = 0xca62c1d6;
      }
      const std::uint32_t next = rotate(a, 5) + f + e + k + w[t];
      e = d;
      d = c;
      c = rotate(b, 30);
      b = a;
      a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
  }
  Digest digest;
  for (std::size_t i = 0; i < 20; ++i) {
    digest[i] = static_cast<std::uint8_t>(h[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

GuardedBuffer::GuardedBuffer(std::size_t capacity) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  capacity_ = (capacity + page - 1) / page * page;
  mapped_ = capacity_ + 2 * page;
  void* map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) std::abort();
  map_ = static_cast<std::uint8_t*>(map);
  begin_ = map_ + page;
  if (mprotect(begin_, capacity_, PROT_READ | PROT_WRITE) != 0) std::abort();
}

GuardedBuffer::~GuardedBuffer() { munmap(map_, mapped_); }

void PerKernel::SetUp() {
  kernels_ = find_kernels(GetParam());
  ASSERT_NE(kernels_, nullptr);
  if (!usable(*kernels_)) {
    GTEST_SKIP() << "kernel " << GetParam() << " needs "
                 << cpu_feature_names(kernels_->required & ~cpu_features())
                 << ", which this processor lacks";
  }
}

std::vector<std::string> all_kernel_names() {
  std::vector<std::string> names;
  for (const Kernels& kernels : all_kernels()) names.emplace_back(kernels.name);
  return names;
}

std::vector<std::string> choosable_kernel_names() {
  std::vector<std::string> names = all_kernel_names();
  names.erase(std::find(names.begin(), names.end(), "portable") + 1, names.end());
  return names;
}

std::string kernel_test_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace assay::sha1
