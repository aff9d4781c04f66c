#ifndef ASSAY_SHA1_CPU_FEATURES_H_
#define ASSAY_SHA1_CPU_FEATURES_H_

#include <cstdint>
#include <string>

namespace assay::sha1 {

/// Instruction set extensions that a kernel may need, as bits of a mask.
///
/// The vector bits promise that the operating system saves the registers too: kAvx2 needs ymm
/// state enabled in XCR0, the AVX-512 bits need opmask and zmm state.
enum CpuFeature : std::uint32_t {
  kCpuSse41 = 1U << 0,      ///< SSSE3 and SSE4.1.
  kCpuShaNi = 1U << 1,      ///< SHA1RNDS4 and its family.
  kCpuAvx2 = 1U << 2,       ///< AVX2.
  kCpuAvx512 = 1U << 3,     ///< AVX-512 F, BW, DQ and VL (Skylake-SP and later).
  kCpuAvx512Ice = 1U << 4,  ///< AVX-512 BITALG and VBMI, and GFNI (Ice Lake, Zen 4 and later).
  kCpuArmSha1 = 1U << 5,    ///< The SHA-1 instructions of ARMv8 (HWCAP_SHA1).
};

/// A set of CpuFeature bits.
using CpuFeatures = std::uint32_t;

/// What this processor and operating system offer. Asked once, then remembered.
///
/// clang 14 has no __builtin_cpu_supports("sha"), so this reads cpuid and xgetbv itself; on
/// AArch64 the kernel is asked. On other architectures the set is empty.
///
/// Thread safety: safe.
CpuFeatures cpu_features();

/// Returns: the names of the bits in `features`, separated by spaces, for a message to a person.
std::string cpu_feature_names(CpuFeatures features);

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_CPU_FEATURES_H_
