#include "sha1/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace assay::sha1 {
namespace {

#if defined(__x86_64__)

// XCR0: which register state the operating system saves. Intel SDM volume 1, section 13.3.
constexpr std::uint64_t kXcr0Ymm = 0x06;  // SSE and AVX state
constexpr std::uint64_t kXcr0Zmm = 0xe6;  // and opmask, upper halves of zmm0-15, zmm16-31

std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

bool has_bit(std::uint32_t reg, int bit) { return ((reg >> bit) & 1U) != 0; }

CpuFeatures detect() {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return 0;
  const bool sse41 = has_bit(ecx, 9) && has_bit(ecx, 19);  // SSSE3, SSE4.1
  const std::uint64_t xcr0 = has_bit(ecx, 27) ? read_xcr0() : 0;
  const bool ymm = has_bit(ecx, 28) && (xcr0 & kXcr0Ymm) == kXcr0Ymm;
  const bool zmm = ymm && (xcr0 & kXcr0Zmm) == kXcr0Zmm;

  CpuFeatures features = 0;
  if (sse41) features |= kCpuSse41;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return features;
  if (sse41 && has_bit(ebx, 29)) features |= kCpuShaNi;
  if (ymm && has_bit(ebx, 5)) features |= kCpuAvx2;
  const bool f = has_bit(ebx, 16);
  const bool dq = has_bit(ebx, 17);
  const bool bw = has_bit(ebx, 30);
  const bool vl = has_bit(ebx, 31);
  if (zmm && f && dq && bw && vl) {
    features |= kCpuAvx512;
    const bool bitalg = has_bit(ecx, 12);
    const bool vbmi = has_bit(ecx, 1);
    const bool gfni = has_bit(ecx, 8);
    if (bitalg && vbmi && gfni) features |= kCpuAvx512Ice;
  }
  return features;
}

#elif defined(__aarch64__)

CpuFeatures detect() {
  CpuFeatures features = 0;
  if ((getauxval(AT_HWCAP) & HWCAP_SHA1) != 0) features |= kCpuArmSha1;
  return features;
}

#else

CpuFeatures detect() { return 0; }

#endif

}  // namespace

CpuFeatures cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

std::string cpu_feature_names(CpuFeatures features) {
  struct Name {
    CpuFeature bit;
    const char* text;
  };
  constexpr Name kNames[] = {{kCpuSse41, "sse4.1"},
                             {kCpuShaNi, "sha_ni"},
                             {kCpuAvx2, "avx2"},
                             {kCpuAvx512, "avx512f+bw+dq+vl"},
                             {kCpuAvx512Ice, "avx512_bitalg+vbmi+gfni"},
                             {kCpuArmSha1, "sha1"}};
  std::string names;
  for (const Name& name : kNames) {
    if ((features & name.bit) == 0) continue;
    if (!names.empty()) names += ' ';
    names += name.text;
  }
  return names;
}

}  // namespace assay::sha1
