#ifndef ASSAY_TESTS_SHA1_SUPPORT_H_
#define ASSAY_TESTS_SHA1_SUPPORT_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sha1/sha1.h"

/// Helpers of the SHA-1 tests.
namespace assay::sha1 {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::string_view text);
Bytes from_hex(std::string_view hex);
std::string to_hex(const Digest& digest);

/// `size` bytes that repeat after 251, a prime, so that no two blocks are alike.
Bytes cycle_bytes(std::size_t size);

/// A small generator with the same sequence everywhere (xorshift64*).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next();
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  Bytes bytes(std::size_t size);

 private:
  std::uint64_t state_;
};

/// SHA-1 written down from FIPS 180-4 with no thought of speed: the oracle of these tests, which
/// shares nothing with the code under test.
Digest reference_sha1(std::span<const std::uint8_t> message);

/// Memory between two pages that may not be touched.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t capacity);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  /// The first `size` bytes, right behind the lower guard page, or the last, right before the
  /// upper.
  std::span<std::uint8_t> at_start(std::size_t size) { return {begin_, size}; }
  std::span<std::uint8_t> at_end(std::size_t size) { return {begin_ + capacity_ - size, size}; }

 private:
  std::uint8_t* map_;
  std::size_t mapped_;
  std::uint8_t* begin_;
  std::size_t capacity_;
};

/// A test that runs for every row of the table of kernels, whose name is the parameter. A row that
/// this processor cannot run is skipped, visibly.
class PerKernel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  const Kernels& kernels() const { return *kernels_; }

 private:
  const Kernels* kernels_ = nullptr;
};

std::vector<std::string> all_kernel_names();

/// Without the rows for comparison, which are never chosen unless by name.
std::vector<std::string> choosable_kernel_names();

std::string kernel_test_name(const ::testing::TestParamInfo<std::string>& info);

}  // namespace assay::sha1

#endif  // ASSAY_TESTS_SHA1_SUPPORT_H_
