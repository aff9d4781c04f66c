// The one table of kernels, and the choice among its rows.

#include <cstdlib>

#include "sha1/kernel.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/lane_helpers.h"

namespace assay::sha1 {
namespace {

// A row for comparison: hashes one message by `kCompress`, and detects by the portable code.
template <Compress* kCompress>
constexpr Kernels plain_row(std::string_view name, CpuFeatures required = 0) {
  return {.name = name,
          .required = required,
          .compress = kCompress,
          .compress_detecting = compress_detecting_with<kCompress>,
          .recompress = recompress_portable};
}

// Best first, up to "portable", which needs nothing, so that there is always a usable one. The rows
// behind it are therefore never chosen, unless by name.
constexpr Kernels kTable[] = {
#if defined(__x86_64__)
    {.name = "avx512_x16",
     .required = kCpuShaNi | kCpuAvx512 | kCpuAvx512Ice,
     .compress = compress_sha_ni_avx512,
     .compress_detecting = compress_detecting_sha_ni_avx512,
     .lanes = 16,
     .worthwhile_lanes = 6,
     .compress_lanes = compress_lanes_avx512_x16,
     .compress_lanes_logging = compress_lanes_logging_avx512_bitalg_x16,
     .judge_lanes = judge_lanes_avx512_bitalg,
     .recompress = recompress_avx512,
     .lane_helpers = &kAvx512LaneHelpers},
    {.name = "avx512f_x16",
     .required = kCpuAvx512,
     .compress = compress_portable,
     .compress_detecting = compress_detecting_portable,
     .lanes = 16,
     .worthwhile_lanes = 3,
     .compress_lanes = compress_lanes_avx512_x16,
     .compress_lanes_logging = compress_lanes_logging_avx512_x16,
     .judge_lanes = judge_lanes_avx512,
     .recompress = recompress_avx512,
     .lane_helpers = &kAvx512LaneHelpers},
    {.name = "avx2_sha_x8",
     .required = kCpuShaNi | kCpuAvx2,
     .compress = compress_sha_ni,
     .compress_detecting = compress_detecting_sha_ni_avx2,
     .lanes = 8,
     .worthwhile_lanes = 5,
     .compress_lanes = compress_lanes_avx2_x8,
     .compress_lanes_logging = compress_lanes_logging_avx2_x8,
     .judge_lanes = judge_lanes_avx2,
     .recompress = recompress_avx2},
    {.name = "avx2_x8",
     .required = kCpuAvx2,
     .compress = compress_portable,
     .compress_detecting = compress_detecting_portable,
     .lanes = 8,
     .worthwhile_lanes = 3,
     .compress_lanes = compress_lanes_avx2_x8,
     .compress_lanes_logging = compress_lanes_logging_avx2_x8,
     .judge_lanes = judge_lanes_avx2,
     .recompress = recompress_avx2},
    {.name = "sha_ni",
     .required = kCpuShaNi,
     .compress = compress_sha_ni,
     .compress_detecting = compress_detecting_sha_ni,
     .recompress = recompress_sha_ni},
#elif defined(__aarch64__) && defined(__AARCH64EL__)
    {.name = "armv8_sha1",
     .required = kCpuArmSha1,
     .compress = compress_armv8_sha1,
     .compress_detecting = compress_detecting_armv8_sha1,
     .recompress = recompress_portable},
#endif
    {.name = "portable",
     .required = 0,
     .compress = compress_portable,
     .compress_detecting = compress_detecting_portable,
     .recompress = recompress_portable},

// Scalar assembly.
#if defined(ASSAY_SHA1_ASM_AMD64)
    plain_row<assay_sha1_compress_amd64>("amd64"),
    plain_row<assay_sha1_compress_amd64_f1_or>("amd64_f1_or"),
#elif defined(ASSAY_SHA1_ASM_I386)
    plain_row<assay_sha1_compress_i386>("i386"),
    plain_row<assay_sha1_compress_i386_f1_or>("i386_f1_or"),
#elif defined(ASSAY_SHA1_ASM_ARMV7)
    plain_row<assay_sha1_compress_armv7>("armv7"),
#endif

    // Where this comes from, fastest first.
    plain_row<compress_blk>("blk"),
    plain_row<compress_blk_f1_or>("blk_f1_or"),
    plain_row<compress_blk_late_k>("blk_late_k"),
    plain_row<compress_mozilla_scheduled>("mozilla_scheduled"),
    plain_row<compress_rfc3174>("rfc3174"),
    plain_row<compress_mozilla>("mozilla"),
};

}  // namespace

std::span<const Kernels> all_kernels() { return kTable; }

const Kernels* find_kernels(std::string_view name) {
  for (const Kernels& row : kTable) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool usable(const Kernels& kernels) { return (kernels.required & ~cpu_features()) == 0; }

Choice choose(std::string_view requested) {
  Choice choice;
  choice.requested = requested;
  if (!requested.empty()) {
    const Kernels* row = find_kernels(requested);
    if (row == nullptr) {
      choice.problem = Choice::Problem::kUnknownName;
    } else if (!usable(*row)) {
      choice.problem = Choice::Problem::kUnusable;
    } else {
      choice.kernels = row;
      return choice;
    }
  }
  for (const Kernels& row : kTable) {
    if (!usable(row)) continue;
    choice.kernels = &row;
    break;
  }
  return choice;
}

const Choice& process_choice() {
  static const Choice choice = [] {
    const char* requested = std::getenv("ASSAY_SHA1_KERNEL");
    return choose(requested == nullptr ? "" : requested);
  }();
  return choice;
}

std::string describe_problem(const Choice& choice) {
  if (choice.problem == Choice::Problem::kNone) return {};
  std::string text = "SHA-1 kernel '" + choice.requested + "' ";
  if (choice.problem == Choice::Problem::kUnknownName) {
    text += "is unknown (known:";
    for (const Kernels& row : kTable) {
      text += ' ';
      text += row.name;
    }
    text += ')';
  } else {
    const Kernels* row = find_kernels(choice.requested);
    text += "cannot run on this processor (missing: " +
            cpu_feature_names(row->required & ~cpu_features()) + ')';
  }
  text += "; using '";
  text += choice.kernels->name;
  text += '\'';
  return text;
}

const Kernels& best() { return *process_choice().kernels; }

}  // namespace assay::sha1
