#ifndef ASSAY_SHA1_SHA1_H_
#define ASSAY_SHA1_SHA1_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sha1/kernel.h"

/// SHA-1 of one message (FIPS 180-4), with detection of collision attacks by default.
///
/// For many messages use `sha1/batch.h`, which is three times as fast.
namespace assay::sha1 {

/// The 20 bytes of a SHA-1.
using Digest = std::array<std::uint8_t, 20>;

/// A digest, and whether the message carries a collision attack.
struct Result {
  Digest digest{};
  /// True when some block is one half of a near-collision pair (as the SHAttered and Shambles
  /// files). Never changes the digest. Always false with Detect::kOff.
  bool collision = false;
};

/// The chaining value after a whole number of blocks, and how many bytes that were.
struct Midstate {
  std::array<std::uint32_t, 5> state = kInitialState;
  std::uint64_t length = 0;  ///< In bytes; a multiple of kBlockSize.
};

/// SHA-1 of one message that arrives in pieces.
///
/// Copies at most one block; keeps no pointer into the caller's bytes between calls. Copyable: a
/// copy continues on its own. Lengths are 64 bit; as FIPS 180-4 says, a message must be shorter
/// than 2^61 bytes.
///
/// Thread safety: distinct objects may be used from distinct threads.
class Hasher {
 public:
  explicit Hasher(Detect detect = Detect::kOn, const Kernels& kernels = best());

  /// Continues from `midstate`, of which nothing is known about collisions.
  /// Requires: midstate.length is a multiple of kBlockSize.
  explicit Hasher(const Midstate& midstate, Detect detect = Detect::kOn,
                  const Kernels& kernels = best());

  /// Appends bytes to the message.
  void update(std::span<const std::uint8_t> bytes) { update(bytes.data(), bytes.size()); }
  void update(const std::uint8_t* bytes, std::size_t size);

  /// Ends the message. The object is then as newly made (same kernels, same detection), ready for
  /// another message.
  Result finish();

  /// Forgets the message.
  void reset();

  /// Bytes appended so far.
  std::uint64_t length() const { return length_; }

 private:
  void compress(const std::uint8_t* blocks, std::size_t n);

  const Kernels* kernels_;
  std::array<std::uint32_t, 5> state_ = kInitialState;
  std::uint64_t length_ = 0;
  bool detect_;
  bool collision_ = false;
  // The unfinished block, of which length_ % 64 bytes are filled.
  std::array<std::uint8_t, kBlockSize> buffer_;
};

/// SHA-1 of a message that is there as a whole, with detection unless it is switched off. For short
/// messages quicker than a Hasher.
Result digest_of(std::span<const std::uint8_t> message, Detect detect = Detect::kOn,
                 const Kernels& kernels = best());

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_SHA1_H_
