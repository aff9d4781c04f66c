// SHA-1 of one message with the SHA-1 instructions of ARMv8, with and without collision detection.
//
// SHA1C, SHA1P and SHA1M do four steps each, with Ch, parity and Maj; SHA1H rotates the a of four
// steps ago, which becomes their e; SHA1SU0 and SHA1SU1 make four words of the message schedule.
// The conditions of detection read the expanded message only. It is in registers anyway, is stored
// beside the steps, and is judged by the portable code, which the compiler makes NEON of; what a
// block leaves is recompressed by the portable code too.

#if defined(__aarch64__) && defined(__AARCH64EL__)

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sha1/collision/judge.h"
#include "sha1/kernels/kernels.h"

#if defined(__clang__)
#define ASSAY_ARMV8_SHA1 __attribute__((target("crypto")))
#define ASSAY_ARMV8_SHA1_INLINE __attribute__((target("crypto"), always_inline)) inline
#else
#define ASSAY_ARMV8_SHA1 __attribute__((target("+crypto")))
#define ASSAY_ARMV8_SHA1_INLINE __attribute__((target("+crypto"), always_inline)) inline
#endif

namespace assay::sha1 {
namespace {

// The instructions. clang 14 declares the intrinsics of <arm_neon.h> for them only in files that
// are compiled for such a processor as a whole, which ours are not.

template <unsigned kPhase>
ASSAY_ARMV8_SHA1_INLINE void four_steps(uint32x4_t& abcd, std::uint32_t e, uint32x4_t words) {
  if constexpr (kPhase == 0) {
    __asm__("sha1c %q0, %s1, %2.4s" : "+w"(abcd) : "w"(e), "w"(words));
  } else if constexpr (kPhase == 2) {
    __asm__("sha1m %q0, %s1, %2.4s" : "+w"(abcd) : "w"(e), "w"(words));
  } else {
    __asm__("sha1p %q0, %s1, %2.4s" : "+w"(abcd) : "w"(e), "w"(words));
  }
}

ASSAY_ARMV8_SHA1_INLINE std::uint32_t rotated(uint32x4_t abcd) {
  std::uint32_t e;
  __asm__("sha1h %s0, %s1" : "=w"(e) : "w"(vgetq_lane_u32(abcd, 0)));
  return e;
}

// Of the words t to t + 15 the words t + 16 to t + 19, in place of the first.
ASSAY_ARMV8_SHA1_INLINE void expand(uint32x4_t& first, uint32x4_t second, uint32x4_t third,
                                    uint32x4_t fourth) {
  __asm__("sha1su0 %0.4s, %1.4s, %2.4s" : "+w"(first) : "w"(second), "w"(third));
  __asm__("sha1su1 %0.4s, %1.4s" : "+w"(first) : "w"(fourth));
}

constexpr std::uint32_t kConstant[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

// Steps 4 * kGroup to 4 * kGroup + 3; words[kGroup % 4] are theirs. Keeps in `log`, where there is
// one, what the conditions read.
template <bool kLog, unsigned kGroup>
ASSAY_ARMV8_SHA1_INLINE void group(uint32x4_t& abcd, std::uint32_t& e, uint32x4_t words[4],
                                   std::uint32_t* log) {
  uint32x4_t& w = words[kGroup % 4];
  const std::uint32_t next_e = rotated(abcd);
  four_steps<kGroup / 5>(abcd, e, vaddq_u32(w, vdupq_n_u32(kConstant[kGroup / 5])));
  e = next_e;
  if constexpr (kLog && 4 * kGroup + 3 >= collision::kFirstWord &&
                4 * kGroup <= collision::kLastWord) {
    vst1q_u32(log + 4 * kGroup, w);
  }
  if constexpr (kGroup < 16) {
    expand(w, words[(kGroup + 1) % 4], words[(kGroup + 2) % 4], words[(kGroup + 3) % 4]);
  }
}

template <bool kLog, unsigned... kGroup>
ASSAY_ARMV8_SHA1_INLINE void all_groups(uint32x4_t& abcd, std::uint32_t& e, uint32x4_t words[4],
                                        std::uint32_t* log,
                                        std::integer_sequence<unsigned, kGroup...>) {
  (group<kLog, kGroup>(abcd, e, words, log), ...);
}

// One block.
template <bool kLog>
ASSAY_ARMV8_SHA1_INLINE void compress_block(uint32x4_t& abcd, std::uint32_t& e,
                                            const std::uint8_t* block, std::uint32_t* log) {
  uint32x4_t words[4];
  for (unsigned i = 0; i < 4; ++i) {
    words[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * i)));
  }
  const uint32x4_t abcd_before = abcd;
  const std::uint32_t e_before = e;
  all_groups<kLog>(abcd, e, words, log, std::make_integer_sequence<unsigned, 20>());
  abcd = vaddq_u32(abcd, abcd_before);
  e += e_before;
}

}  // namespace

ASSAY_ARMV8_SHA1 void compress_armv8_sha1(std::uint32_t state[5], const std::uint8_t* blocks,
                                          std::size_t n) {
  uint32x4_t abcd = vld1q_u32(state);
  std::uint32_t e = state[4];
  for (; n != 0; --n, blocks += kBlockSize) compress_block<false>(abcd, e, blocks, nullptr);
  vst1q_u32(state, abcd);
  state[4] = e;
}

ASSAY_ARMV8_SHA1 bool compress_detecting_armv8_sha1(std::uint32_t state[5],
                                                    const std::uint8_t* blocks, std::size_t n) {
  std::uint32_t expanded[80] = {};
  uint32x4_t abcd = vld1q_u32(state);
  std::uint32_t e = state[4];
  bool found = false;
  for (; n != 0; --n, blocks += kBlockSize) {
    std::uint32_t before[5];
    vst1q_u32(before, abcd);
    before[4] = e;
    compress_block<true>(abcd, e, blocks, expanded);
    const collision::VectorSet set = judge_by_runs(expanded);
    if (set != 0 && recompress_block(before, blocks, set, recompress_portable)) found = true;
  }
  vst1q_u32(state, abcd);
  state[4] = e;
  return found;
}

}  // namespace assay::sha1

#endif
