// SHA-256 of one message that arrives in pieces (FIPS 180-4).
//
// Uses the SHA extensions of x86-64 where the processor has them; the choice is made at run time.
// Copies at most one block; keeps no pointer into the caller's bytes between calls. Copyable: a
// copy continues on its own. Thread safety: distinct objects may be used from distinct threads.
#pragma once

#include <array>

#include "store/base/bytes.h"

namespace assay {

using Sha256Digest = std::array<std::uint8_t, 32>;

// Compresses whole blocks of 64 bytes into the state. Pure: no allocation, no global.
using Sha256Compress = void (*)(std::uint32_t state[8], const std::uint8_t* blocks,
                                std::size_t block_count);

struct Sha256Kernel {
  std::string_view name;
  Sha256Compress compress;
};

// The kernels this processor can run, best first; never empty, the last one is "portable".
std::span<const Sha256Kernel> sha256_kernels();

class Sha256 {
 public:
  explicit Sha256(const Sha256Kernel& kernel = sha256_kernels().front()) : kernel_(&kernel) {}

  void update(ByteView bytes);
  // Ends the message. The object is then as newly made.
  Sha256Digest finish();

 private:
  const Sha256Kernel* kernel_;
  std::array<std::uint32_t, 8> state_ = kInitialState;
  std::uint64_t size_ = 0;               // bytes so far
  std::array<std::uint8_t, 64> buffer_;  // the first size_ % 64 bytes are filled

  static constexpr std::array<std::uint32_t, 8> kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                                                 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                                                 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace assay
