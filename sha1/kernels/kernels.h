#ifndef ASSAY_SHA1_KERNELS_KERNELS_H_
#define ASSAY_SHA1_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "sha1/collision/judge.h"
#include "sha1/kernel.h"

/// Declarations of all kernels, for the table in sha1/dispatch.cc and for each other. Contracts:
/// see sha1/kernel.h. Names say what a kernel needs; a kernel may be called only where that is
/// there.
namespace assay::sha1 {

/// As CompressDetecting, n > 0, but suspects may be left in the queue. Returns: whether a collision
/// was found so far.
using CompressQueuing = bool(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n,
                             collision::Suspects& suspects);

// kernels/portable.cc, kernels/portable_detecting.cc and collision/portable_detector.cc: the
// yardstick.
Compress compress_portable;
CompressDetecting compress_detecting_portable;
CompressQueuing compress_queuing_portable;
Recompress recompress_portable;

// kernels/rfc3174.cc, kernels/mozilla.cc, kernels/blk.cc: where this comes from, to compare with.
Compress compress_rfc3174;
Compress compress_mozilla;
Compress compress_mozilla_scheduled;
Compress compress_blk;
Compress compress_blk_f1_or;
Compress compress_blk_late_k;

/// The vectors that remain possible for a block, given its 80 expanded message words.
collision::VectorSet judge_one(const std::uint32_t expanded[80]);

/// As judge_one, several conditions at a time where the target has vectors (collision/runs.h), and
/// with fewer of them when these are enough.
collision::VectorSet judge_by_runs(const std::uint32_t expanded[80]);

/// Judges a block whose chaining value was `before`, and recompresses what is left.
/// Returns: whether it is one half of a near-collision pair.
bool examine_block(const std::uint32_t before[5], const std::uint8_t* block);

/// Recompresses a block whose chaining value was `before` for every vector of `set`.
/// Returns: whether it is one half of a near-collision pair.
bool recompress_block(const std::uint32_t before[5], const std::uint8_t* block,
                      collision::VectorSet set, Recompress* recompress);

/// Detection for a kernel that has none of its own: hashes with `kCompress`, and examines each
/// block with the portable detector.
template <Compress* kCompress>
bool compress_detecting_with(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  bool found = false;
  for (; n != 0; --n, blocks += kBlockSize) {
    const std::uint32_t before[5] = {state[0], state[1], state[2], state[3], state[4]};
    kCompress(state, blocks, 1);
    if (examine_block(before, blocks)) found = true;
  }
  return found;
}

#if defined(__x86_64__)

// kernels/x86_64/avx512_x16.cc: needs kCpuAvx512.
CompressLanes compress_lanes_avx512_x16;

// kernels/x86_64/avx512_bitalg_x16.cc: needs kCpuAvx512Ice too.
CompressLanesLogging compress_lanes_logging_avx512_bitalg_x16;
JudgeLanes judge_lanes_avx512_bitalg;

// kernels/x86_64/avx512_logging_x16.cc: needs kCpuAvx512.
CompressLanesLogging compress_lanes_logging_avx512_x16;
JudgeLanes judge_lanes_avx512;

// kernels/x86_64/avx512_recompress.cc: needs kCpuAvx512.
Recompress recompress_avx512;

// kernels/x86_64/avx2_x8.cc: needs kCpuAvx2.
CompressLanes compress_lanes_avx2_x8;

// kernels/x86_64/avx2_logging_x8.cc: needs kCpuAvx2.
CompressLanesLogging compress_lanes_logging_avx2_x8;
JudgeLanes judge_lanes_avx2;
Recompress recompress_avx2;

// kernels/x86_64/sha_ni.cc: needs kCpuShaNi.
Compress compress_sha_ni;

// kernels/x86_64/sha_ni_recompress.cc: needs kCpuShaNi.
Recompress recompress_sha_ni;

// kernels/x86_64/sha_ni_detecting.cc: needs kCpuShaNi.
CompressDetecting compress_detecting_sha_ni;
CompressQueuing compress_queuing_sha_ni;

// kernels/x86_64/sha_ni_avx2_detecting.cc: needs kCpuShaNi and kCpuAvx2.
CompressDetecting compress_detecting_sha_ni_avx2;
CompressQueuing compress_queuing_sha_ni_avx2;

// kernels/x86_64/sha_ni_avx2_groups.cc: needs the same.
CompressQueuing compress_groups_sha_ni_avx2;

// kernels/x86_64/sha_ni_avx512.cc: needs kCpuShaNi and kCpuAvx512.
Compress compress_sha_ni_avx512;

// kernels/x86_64/sha_ni_avx512_detecting.cc: needs kCpuAvx512Ice too.
CompressDetecting compress_detecting_sha_ni_avx512;
CompressQueuing compress_queuing_sha_ni_avx512;

// kernels/x86_64/sha_ni_avx512_groups.cc: needs the same. n must be a multiple of 16.
CompressQueuing compress_groups_sha_ni_avx512;

#elif defined(__aarch64__) && defined(__AARCH64EL__)

// kernels/aarch64/armv8_sha1.cc: need kCpuArmSha1.
Compress compress_armv8_sha1;
CompressDetecting compress_detecting_armv8_sha1;

#endif

// Hand-written assembly; not there in a build without it (ASSAY_ASM=OFF).
#if defined(ASSAY_SHA1_ASM) && defined(__x86_64__)
#define ASSAY_SHA1_ASM_AMD64
// kernels/x86_64/amd64.S
extern "C" Compress assay_sha1_compress_amd64;
extern "C" Compress assay_sha1_compress_amd64_f1_or;
#elif defined(ASSAY_SHA1_ASM) && defined(__i386__)
#define ASSAY_SHA1_ASM_I386
// kernels/i386/i386.S
extern "C" Compress assay_sha1_compress_i386;
extern "C" Compress assay_sha1_compress_i386_f1_or;
#elif defined(ASSAY_SHA1_ASM) && defined(__ARMEL__) && __ARM_ARCH >= 7
#define ASSAY_SHA1_ASM_ARMV7
// kernels/arm/armv7.S
extern "C" Compress assay_sha1_compress_armv7;
#endif

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_KERNELS_H_
