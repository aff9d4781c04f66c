#ifndef ASSAY_SHA1_KERNELS_X86_64_BITALG_JUDGE_H_
#define ASSAY_SHA1_KERNELS_X86_64_BITALG_JUDGE_H_

#include <cstdint>

#include "sha1/collision/judge.h"
#include "sha1/collision/vectors.h"

/// Judging the evidence that VPSHUFBITQMB took (selectors.h) in parts, for a kernel that does
/// something else beside. avx512_bitalg_x16.cc; needs kCpuAvx512Ice.
namespace assay::sha1::bitalg {

/// Which blocks of a log a vector is excluded for: of each row, by bits as in the evidence, in the
/// home slot of the vector; other bits are set.
struct Excluded {
  alignas(64) std::uint64_t blocks[collision::kVectorCount][collision::kLogRows];
  /// The rows for which the vector remains for some block.
  alignas(8) std::uint8_t rows[collision::kVectorCount];
};

/// So many parts, of four vectors each.
inline constexpr unsigned kParts = 8;

/// Judges the vectors of one part. Requires: part < kParts.
void judge_part(const collision::LaneLog& log, Excluded& excluded, unsigned part);

/// As JudgeLanes, when all parts of a log of so many rows are judged.
unsigned collect(const Excluded& excluded, unsigned rows, collision::Survivor* survivors);

}  // namespace assay::sha1::bitalg

#endif  // ASSAY_SHA1_KERNELS_X86_64_BITALG_JUDGE_H_
