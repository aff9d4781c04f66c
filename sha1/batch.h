#ifndef ASSAY_SHA1_BATCH_H_
#define ASSAY_SHA1_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "sha1/job.h"
#include "sha1/kernel.h"

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
/// ring of each lane). A source that produces its stream piece by piece fits in the same scheme: it
/// fills the ring. The ring is longer than the rows that may wait for judgement, so that suspicious
/// blocks can be read again.
///
/// Detection holds a job up until the rows that it has a block in are judged, eight at a time; only
/// a job with a suspicious block waits on, for the recompression of several at once.
///
/// Memory: about 85 KB, all of it taken when the object is made; no allocation afterwards.
/// Thread safety: none; one Batch per thread.
class Batch {
 public:
  /// Requires: `kernels` are usable here and outlive the batch.
  explicit Batch(const Kernels& kernels = best(), Detect detect = Detect::kOn);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Adds a job. When 32 jobs or 256 KB (background jobs not counted) wait, runs the lanes until
  /// none waits any more; up to as many jobs as there are lanes stay in them, half done.
  ///
  /// Requires: job->header_size <= 32.
  void submit(Job* job) {
    job->collision = false;
    // Staging will copy the beginning; by then it should be in the first-level cache.
    __builtin_prefetch(job->body);
    // An address: there may be no second block, or no body.
    __builtin_prefetch(
        reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(job->body) + kBlockSize));
    if (!job->background) waiting_.bytes += job->body_size;
    waiting_.jobs[waiting_.count++] = job;
    if (waiting_.count == kRunJobs || waiting_.bytes >= kRunBytes) run();
  }

  /// Returns: a finished job (any order), which is the caller's again, or null when there is none
  /// now. Does no hashing.
  Job* poll() {
    if (done_.count == 0) return nullptr;
    Job* job = done_.jobs[--done_.count];
    if (done_.count == 0 && done_.more != nullptr) done_.refill();
    return job;
  }

  /// Runs the lanes until no job waits, as `submit` does when enough wait.
  void run();

  /// Hashes everything to the end; afterwards `poll` returns every job that was submitted.
  void finish();

  /// Jobs submitted and not yet returned by `poll`. Takes time in proportion.
  std::size_t pending() const;

  /// Body bytes that the pending jobs keep alive. Takes time in proportion to their number.
  std::uint64_t pending_bytes() const;

  /// Name of the kernels in use, e.g. "avx512_x16".
  std::string_view kernel_name() const;

  /// Whether collisions are looked for.
  bool detecting() const;

 private:
  class Engine;

  // The lanes run when this much waits: enough that starting and stopping them does not count,
  // little enough that short messages are still in the first-level cache.
  static constexpr std::size_t kRunJobs = 32;
  static constexpr std::uint64_t kRunBytes = 256 * 1024;

  // What waits and what is done is here and in arrays, not in the engine and in lists, so that
  // submitting and polling take a few instructions that need not wait for the memory of other jobs:
  // short messages are hashed as quickly as that.
  struct Waiting {
    std::size_t count = 0;
    std::uint64_t bytes = 0;  // of bodies, without background jobs
    Job* jobs[kRunJobs];
  };
  struct Done {
    void push(Job* job) {
      if (count == kPlaces) return link(job);
      jobs[count++] = job;
    }
    void link(Job* job) {
      job->next = more;
      more = job;
    }
    void refill() {
      for (; more != nullptr && count < kPlaces; more = more->next) jobs[count++] = more;
    }

    static constexpr std::size_t kPlaces = 256;
    std::size_t count = 0;
    Job* more = nullptr;  // those that did not fit, linked; none when count is 0
    Job* jobs[kPlaces];
  };
  Waiting waiting_;
  Done done_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_BATCH_H_
