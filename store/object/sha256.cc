#include "store/object/sha256.h"

#include <bit>

#include "sha1/cpu_features.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes
// (FIPS 180-4, 4.2.2).
alignas(16) constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void compress_portable(std::uint32_t state[8], const std::uint8_t* blocks,
                       std::size_t block_count) {
  for (; block_count > 0; --block_count, blocks += 64) {
    std::uint32_t w[16];
    for (int t = 0; t < 16; ++t) w[t] = read_be32(blocks + 4 * t);
    std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    std::uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (unsigned t = 0; t < 64; ++t) {
      // The schedule lives in a ring of 16 words: w[t & 15] still holds word t - 16 here.
      if (t >= 16) {
        const std::uint32_t w15 = w[(t + 1) & 15];
        const std::uint32_t w2 = w[(t + 14) & 15];
        w[t & 15] += (std::rotr(w15, 7) ^ std::rotr(w15, 18) ^ (w15 >> 3)) + w[(t + 9) & 15] +
                     (std::rotr(w2, 17) ^ std::rotr(w2, 19) ^ (w2 >> 10));
      }
      const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               (g ^ (e & (f ^ g))) + kRoundConstants[t] + w[t & 15];
      const std::uint32_t t2 =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) | (c & (a | b)));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

#if defined(__x86_64__)
// SHA256RNDS2 does two rounds on the state split as ABEF and CDGH; SHA256MSG1 and SHA256MSG2 do the
// message schedule four words at a time (Intel SDM, volume 2).
__attribute__((target("sha,sse4.1,ssse3"))) void compress_sha_ni(std::uint32_t state[8],
                                                                 const std::uint8_t* blocks,
                                                                 std::size_t block_count) {
  const __m128i byte_swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state));
  const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

  for (; block_count > 0; --block_count, blocks += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];  // ring of the last 16 schedule words
    for (int i = 0; i < 4; ++i) {
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks + 16 * i)),
                              byte_swap);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {  // four rounds each
      if (i >= 4) {
        __m128i next = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
        w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
      }
      const __m128i constants =
          _mm_load_si128(reinterpret_cast<const __m128i*>(kRoundConstants.data() + 4 * i));
      const __m128i sum = _mm_add_epi32(w[i & 3], constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

constexpr Sha256Kernel kKernels[] = {
#if defined(__x86_64__)
    {"sha_ni", compress_sha_ni},
#endif
    {"portable", compress_portable},
};

}  // namespace

std::span<const Sha256Kernel> sha256_kernels() {
  const std::span<const Sha256Kernel> all = kKernels;
#if defined(__x86_64__)
  constexpr sha1::CpuFeatures kNeeded = sha1::kCpuSse41 | sha1::kCpuShaNi;
  if ((sha1::cpu_features() & kNeeded) != kNeeded) return all.subspan(1);
#endif
  return all;
}

void Sha256::update(ByteView bytes) {
  const std::size_t filled = size_ % 64;
  size_ += bytes.size();
  if (filled != 0) {
    const std::size_t wanted = 64 - filled;
    const std::size_t taken = bytes.size() < wanted ? bytes.size() : wanted;
    if (taken > 0) std::memcpy(buffer_.data() + filled, bytes.data(), taken);
    if (taken < wanted) return;
    kernel_->compress(state_.data(), buffer_.data(), 1);
    bytes = bytes.subspan(taken);
  }
  const std::size_t blocks = bytes.size() / 64;
  if (blocks > 0) kernel_->compress(state_.data(), bytes.data(), blocks);
  bytes = bytes.subspan(blocks * 64);
  if (!bytes.empty()) std::memcpy(buffer_.data(), bytes.data(), bytes.size());
}

Sha256Digest Sha256::finish() {
  // Padding: a one bit, zeros, and the length in bits as 64-bit big-endian at the end of a block.
  std::array<std::uint8_t, 128> tail{};
  const std::size_t filled = size_ % 64;
  if (filled > 0) std::memcpy(tail.data(), buffer_.data(), filled);
  tail[filled] = 0x80;
  const std::size_t blocks = filled < 56 ? 1 : 2;
  const std::uint64_t bits = size_ * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[64 * blocks - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  kernel_->compress(state_.data(), tail.data(), blocks);
  Sha256Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  state_ = kInitialState;
  size_ = 0;
  return digest;
}

}  // namespace assay
