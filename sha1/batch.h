#ifndef ASSAY_SHA1_BATCH_H_
#define ASSAY_SHA1_BATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "sha1/kernel.h"
#include "sha1/sha1.h"

/// SHA-1 of many messages at once: one message a lane, lanes refilled continuously.
///
///     Batch batch;
///     for (...) {
///       job->header = ...; job->header_size = ...; job->body = ...; job->body_size = ...;
///       batch.submit(job);                                  // runs by itself when it is worth it
///       while (Job* done = batch.poll()) settle(done);
///     }
///     batch.finish();
///     while (Job* done = batch.poll()) settle(done);
namespace assay::sha1 {

/// One message: `header`, then `body`. The stream that is hashed is the two and the padding.
///
/// The caller owns the job and the bytes of the body; both stay valid and unchanged from `submit`
/// until `poll` returns the job. Detection of collisions lags behind the hashing (suspicious blocks
/// are read again), so that a finished digest does not yet mean that the body may go.
struct Job {
  std::array<std::uint8_t, 32> header{};  ///< A short prefix of the message, e.g. "blob 123\0".
  std::uint8_t header_size = 0;           ///< Bytes used in `header`, 0 to 32.
  const std::uint8_t* body = nullptr;     ///< May be null when body_size is 0.
  std::uint64_t body_size = 0;
  /// A long stream, such as a whole pack file whose trailer is checked: it occupies a lane beside
  /// the others but does not count towards the threshold at which the lanes run.
  bool background = false;

  Digest digest{};         ///< Result.
  bool collision = false;  ///< Result: see Result::collision. False with Detect::kOff.

  Job* next = nullptr;  ///< Link of the queue that the job is in; private to Batch.
};

/// Hashes jobs in the lanes of a kernel.
///
/// Jobs wait in a queue, first in, first out. When the lanes run, all of them advance to the end of
/// the shortest segment, those that ended are given their next segment or the next job, and so on
/// until the queue is empty; jobs that are half done then stay in the lanes until the next run.
/// Order of arrival and mix of sizes therefore do not matter, and nothing is ever padded with empty
/// rows. Only `finish` runs the lanes dry; when too few are left it ends them one by one on the
/// kernel for one message.
///
/// A segment is either *direct* (whole blocks inside the body, read where they are; never a byte
/// past body_size) or *staged* (header, the blocks at the seams and the padding, put together in a
/// ring of 32 blocks per lane). A source that produces its stream piece by piece fits in the same
/// scheme: it fills the ring. The ring is longer than the rows that may wait for judgement, so that
/// suspicious blocks can be read again.
///
/// Memory: about 75 KB, all of it taken when the object is made; no allocation afterwards.
/// Thread safety: none; one Batch per thread.
class Batch {
 public:
  /// Requires: `kernels` are usable here and outlive the batch.
  explicit Batch(const Kernels& kernels = best(), Detect detect = Detect::kOn);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Adds a job; runs the lanes when enough waits. Requires: job->header_size <= 32.
  void submit(Job* job);

  /// Returns: a finished job (any order), which is the caller's again, or null when there is none
  /// now. Does no hashing.
  Job* poll();

  /// Runs the lanes until the queue is empty. Up to `lanes` jobs stay in them, half done.
  void run();

  /// Hashes everything to the end; afterwards `poll` returns every job that was submitted.
  void finish();

  /// Returns: whether at least 64 jobs or 256 KB (background jobs not counted) wait in the queue.
  /// `submit` runs the lanes by itself when that is so, hence it is false between calls.
  bool should_run() const;

  /// Bytes of headers and bodies of all jobs submitted so far that have left the queue.
  std::uint64_t bytes_hashed() const;

  /// Jobs submitted and not yet returned by `poll`.
  std::size_t pending() const;

  /// Body bytes that the pending jobs keep alive.
  std::uint64_t pending_bytes() const;

  /// Name of the kernels in use, e.g. "avx512_x16".
  std::string_view kernel_name() const;

  /// Whether collisions are looked for.
  bool detecting() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_BATCH_H_
