#ifndef ASSAY_SHA1_JOB_H_
#define ASSAY_SHA1_JOB_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "sha1/sha1.h"

namespace assay::sha1 {

/// One message: `header`, then `body`. The stream that is hashed is the two and the padding.
///
/// The caller owns the job and the bytes of the body; both stay valid and unchanged from
/// Batch::submit until Batch::poll returns the job. Detection of collisions lags behind the hashing
/// (suspicious blocks are read again), so that a finished digest does not yet mean that the body
/// may go.
struct Job {
  const std::uint8_t* body = nullptr;  ///< May be null when body_size is 0.
  std::uint64_t body_size = 0;
  Job* next = nullptr;           ///< Link of a list that the job is in; private to Batch.
  bool suspected = false;        ///< A block of it is to be recompressed; private to Batch.
  std::uint8_t header_size = 0;  ///< Bytes used in `header`, 0 to 32.
  /// A long stream, such as a whole pack file whose trailer is checked: it occupies a lane beside
  /// the others but does not count towards the threshold at which the lanes run.
  bool background = false;

  bool collision = false;  ///< Result: see Result::collision. False with Detect::kOff.
  Digest digest{};         ///< Result.

  std::array<std::uint8_t, 32> header{};  ///< A short prefix of the message, e.g. "blob 123\0".
};

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_JOB_H_
