#ifndef ASSAY_SHA1_COLLISION_VECTORS_H_
#define ASSAY_SHA1_COLLISION_VECTORS_H_

#include <array>
#include <bit>
#include <cstdint>

#include "sha1/collision/judge.h"

/// The 32 disturbance vectors that a practical attack on SHA-1 can use, and the message differences
/// that follow from them.
///
/// A disturbance vector says at which steps and bits local collisions start (S. Manuel,
/// "Classification and generation of disturbance vectors for collision attacks against SHA-1",
/// 2008/2011: types I(K,b) and II(K,b)). The choice of 32 is that of Stevens,
/// "Counter-cryptanalysis" (2013), and Stevens & Shumow (2017).
namespace assay::sha1::collision {

/// A vector of type I(K,b) or II(K,b).
struct Vector {
  enum class Kind : std::uint8_t { kOne, kTwo };
  Kind kind;
  std::uint8_t k;
  std::uint8_t b;
  /// Recompression starts before this step: a state whose difference in such an attack is zero.
  std::uint8_t step;
};

using Kind = Vector::Kind;

inline constexpr unsigned kVectorCount = 32;

inline constexpr Vector kVectors[kVectorCount] = {
    {Kind::kOne, 43, 0, kEarlyStep}, {Kind::kOne, 44, 0, kEarlyStep},
    {Kind::kOne, 45, 0, kEarlyStep}, {Kind::kOne, 46, 0, kEarlyStep},
    {Kind::kOne, 46, 2, kEarlyStep}, {Kind::kOne, 47, 0, kEarlyStep},
    {Kind::kOne, 47, 2, kEarlyStep}, {Kind::kOne, 48, 0, kEarlyStep},
    {Kind::kOne, 48, 2, kEarlyStep}, {Kind::kOne, 49, 0, kEarlyStep},
    {Kind::kOne, 49, 2, kEarlyStep}, {Kind::kOne, 50, 0, kLateStep},
    {Kind::kOne, 50, 2, kLateStep},  {Kind::kOne, 51, 0, kLateStep},
    {Kind::kOne, 51, 2, kLateStep},  {Kind::kOne, 52, 0, kLateStep},
    {Kind::kTwo, 45, 0, kEarlyStep}, {Kind::kTwo, 46, 0, kEarlyStep},
    {Kind::kTwo, 46, 2, kEarlyStep}, {Kind::kTwo, 47, 0, kEarlyStep},
    {Kind::kTwo, 48, 0, kEarlyStep}, {Kind::kTwo, 49, 0, kEarlyStep},
    {Kind::kTwo, 49, 2, kEarlyStep}, {Kind::kTwo, 50, 0, kLateStep},
    {Kind::kTwo, 50, 2, kLateStep},  {Kind::kTwo, 51, 0, kLateStep},
    {Kind::kTwo, 51, 2, kLateStep},  {Kind::kTwo, 52, 0, kLateStep},
    {Kind::kTwo, 53, 0, kLateStep},  {Kind::kTwo, 54, 0, kLateStep},
    {Kind::kTwo, 55, 0, kLateStep},  {Kind::kTwo, 56, 0, kLateStep},
};

/// The difference of the 80 expanded message words under `vector`.
///
/// The vector is zero in DV[K..K+14] (a type II vector has rol(2^31, b) in DV[K+1] and DV[K+3]) and
/// 2^b in DV[K+15]; the SHA-1 message recurrence extends it both ways. Each disturbance starts a
/// local collision, whose corrections at the next five steps give the message difference
///   dW[t] = DV[t] ^ rol5(DV[t-1]) ^ DV[t-2] ^ rol30(DV[t-3]) ^ rol30(DV[t-4]) ^ rol30(DV[t-5]).
constexpr std::array<std::uint32_t, 80> message_difference(const Vector& vector) {
  constexpr int kBefore = 5;  // DV[-5] is dv[0]
  std::array<std::uint32_t, 80 + kBefore> dv{};
  const int zero = vector.k + kBefore;
  if (vector.kind == Kind::kTwo) {
    dv[zero + 1] = dv[zero + 3] = std::rotl(std::uint32_t{1} << 31, vector.b);
  }
  dv[zero + 15] = std::uint32_t{1} << vector.b;
  for (int t = zero + 16; t < 80 + kBefore; ++t) {
    dv[t] = std::rotl(dv[t - 3] ^ dv[t - 8] ^ dv[t - 14] ^ dv[t - 16], 1);
  }
  for (int t = zero - 1; t >= 0; --t) {
    dv[t] = std::rotr(dv[t + 16], 1) ^ dv[t + 13] ^ dv[t + 8] ^ dv[t + 2];
  }
  std::array<std::uint32_t, 80> dw{};
  for (int t = 0; t < 80; ++t) {
    const int at = t + kBefore;
    dw[t] = dv[at] ^ std::rotl(dv[at - 1], 5) ^ dv[at - 2] ^ std::rotl(dv[at - 3], 30) ^
            std::rotl(dv[at - 4], 30) ^ std::rotl(dv[at - 5], 30);
  }
  return dw;
}

namespace internal {

constexpr auto all_message_differences() {
  std::array<std::array<std::uint32_t, 80>, kVectorCount> all{};
  for (unsigned d = 0; d < kVectorCount; ++d) all[d] = message_difference(kVectors[d]);
  return all;
}

}  // namespace internal

/// kMessageDifference[d][t]: the difference of message word t under vector d.
inline constexpr std::array<std::array<std::uint32_t, 80>, kVectorCount> kMessageDifference =
    internal::all_message_differences();

namespace internal {

// A message difference must itself be an expanded message, and a state that is compared must lie
// where the vector has no disturbance under way.
constexpr bool differences_are_expanded_messages() {
  for (const auto& dw : kMessageDifference) {
    for (int t = 16; t < 80; ++t) {
      if (dw[t] != std::rotl(dw[t - 3] ^ dw[t - 8] ^ dw[t - 14] ^ dw[t - 16], 1)) return false;
    }
  }
  return true;
}
static_assert(differences_are_expanded_messages());

// The first 16 words as the bytes of a block.
constexpr auto all_block_differences() {
  std::array<std::array<std::uint8_t, kBlockSize>, kVectorCount> all{};
  for (unsigned d = 0; d < kVectorCount; ++d) {
    for (unsigned i = 0; i < kBlockSize; ++i) {
      all[d][i] = static_cast<std::uint8_t>(kMessageDifference[d][i / 4] >> (24 - 8 * (i % 4)));
    }
  }
  return all;
}

}  // namespace internal

/// kBlockDifference[d]: the difference of the bytes of a block under vector d.
inline constexpr std::array<std::array<std::uint8_t, kBlockSize>, kVectorCount> kBlockDifference =
    internal::all_block_differences();

/// Appends `block` to `suspects` for one vector. The working variables before kEarlyStep and
/// kLateStep and the chaining value after the block are given with a distance of `stride` words.
///
/// Requires: suspects.count < Suspects::kCapacity.
/// Returns: whether `suspects` is full now.
inline bool add_suspect(Suspects& suspects, const std::uint8_t* block, unsigned vector,
                        const std::uint32_t* early, const std::uint32_t* late,
                        const std::uint32_t* out, std::size_t stride) {
  const unsigned at = suspects.count;
  const auto& difference = kBlockDifference[vector];
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    suspects.twin[at][i] = static_cast<std::uint8_t>(block[i] ^ difference[i]);
  }
  const bool is_late = kVectors[vector].step == kLateStep;
  const std::uint32_t* state = is_late ? late : early;
  for (unsigned i = 0; i < 5; ++i) {
    suspects.state[i][at] = state[i * stride];
    suspects.out[i][at] = out[i * stride];
  }
  suspects.late |= static_cast<std::uint32_t>(is_late) << at;
  return ++suspects.count == Suspects::kCapacity;
}

}  // namespace assay::sha1::collision

#endif  // ASSAY_SHA1_COLLISION_VECTORS_H_
