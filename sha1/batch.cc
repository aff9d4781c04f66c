#include "sha1/batch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "sha1/collision/judge.h"
#include "sha1/collision/vectors.h"
#include "sha1/kernels/lane_helpers.h"
#include "sha1/padding.h"

namespace assay::sha1 {
namespace {

// A message of up to so many blocks is staged as a whole: copying a block costs a few cycles, an
// additional segment costs about sixty.
constexpr std::uint64_t kStagedBlocks = 8;

// A lane has two staging rings, one for chunks of few blocks: being small, those of all lanes stay
// in the first-level cache while messages are short. A staged block must stay in place until it is
// judged, that is for kLogRows rows of its lane. A chunk that does not fit before the end of the
// ring starts at its beginning; so between a block and what overwrites it lie at least
// blocks - 2 * (most - 1) - 1 other blocks of the lane. An odd number of blocks spreads the lanes
// over the sets of the cache.
struct RingSize {
  unsigned blocks;
  unsigned most;  // staged at once

  constexpr bool is_long_enough() const { return blocks >= collision::kLogRows + 2 * most - 1; }
};
constexpr RingSize kSmallRing = {13, 3};
constexpr RingSize kLargeRing = {23, kStagedBlocks};
static_assert(kSmallRing.is_long_enough() && kLargeRing.is_long_enough());

// Segments are counted in 32 bits; a longer direct run is cut here.
constexpr std::uint64_t kMaxSegment = std::uint64_t{1} << 24;

// Suspects wait until a full set can be recompressed at once, but not for more judgements than
// this: they hold up jobs.
constexpr unsigned kMaxSuspectAge = 4;

// Numbers of lanes are multiples of this; loops over a group have a constant count, so that the
// compiler can make vectors of them.
constexpr unsigned kLaneGroup = 8;

constexpr std::uint32_t kIdle = std::numeric_limits<std::uint32_t>::max();

}  // namespace

class Batch::Engine {
 public:
  Engine(const Kernels& kernels, Detect detect, Waiting& waiting, Done& done)
      : waiting_(waiting),
        done_(done),
        kernels_(kernels),
        detect_(detect == Detect::kOn),
        lanes_(kernels.lanes),
        helpers_(kernels.lane_helpers != nullptr ? *kernels.lane_helpers : kPortableLaneHelpers) {
    std::fill(std::begin(cursor_.left), std::end(cursor_.left), kIdle);
  }

  std::string_view kernel_name() const { return kernels_.name; }
  bool detecting() const { return detect_; }

  // Runs until no job waits; when `drain`, until every job is done.
  void run(bool drain);

  struct Pending {
    std::size_t jobs = 0;
    std::uint64_t bytes = 0;
  };
  Pending pending() const;

 private:
  // Instead of an offset: the present segment is the last of its job.
  static constexpr std::uint64_t kLastSegment = std::numeric_limits<std::uint64_t>::max();

  Job* take_waiting() { return begun_ == waiting_.count ? nullptr : waiting_.jobs[begun_++]; }
  std::uint32_t start(unsigned lane, Job* job);
  std::uint32_t next_segment(unsigned lane, const Job& job);
  std::uint32_t stage_end(unsigned lane, const Job& job, std::uint64_t offset,
                          std::uint32_t blocks);
  std::uint8_t* place(unsigned lane, std::uint32_t blocks);
  void reset_fresh() {
    if (fresh_ != 0) helpers_.reset(state_, fresh_);
    fresh_ = 0;
  }
  void run_lanes(bool drain);
  void fill_idle_lanes();
  void end_segments(std::uint32_t rows);
  void finish_job(Job* job);
  void run_rows(std::uint32_t rows);
  void note_rows(unsigned first, unsigned rows, std::size_t offset);
  bool worth_running(bool drain) const;
  void finish_alone(unsigned lane);
  void judge();
  void recompress();
  void release();
  void settle();

  Waiting& waiting_;
  Done& done_;
  const Kernels& kernels_;
  const bool detect_;
  const unsigned lanes_;
  const LaneHelpers& helpers_;
  std::size_t begun_ = 0;  // of the jobs in waiting_; 0 outside run()
  unsigned live_ = 0;

  // The lanes, as a struct of arrays.
  LaneState state_;
  LaneCursor cursor_ = {};            // left is kIdle where there is no job
  std::uint32_t least_left_ = kIdle;  // of all lanes
  std::uint32_t fresh_ = 0;           // lanes whose state is the initial one, not yet in state_
  Job* job_[kMaxLanes] = {};
  // Bytes of the body in this and earlier segments, or kLastSegment.
  std::uint64_t offset_[kMaxLanes] = {};

  // Jobs that are hashed and whose detection lags behind: some of their rows are in the log, or
  // some of their blocks among the suspects. A job has a row at least.
  Job* held_[collision::kLogRows * kMaxLanes + kMaxLanes + collision::Suspects::kCapacity];
  unsigned held_count_ = 0;
  std::uint64_t held_bytes_ = 0;  // of their bodies

  // Rows hashed and not yet judged: whose blocks they are, and where. Rows that were hashed
  // together share an entry, that of the first of them.
  struct Logged {
    Job* job[kMaxLanes];
    const std::uint8_t* block[kMaxLanes];
  };
  Logged logged_[collision::kLogRows];
  std::uint8_t logged_first_[collision::kLogRows];  // for each row, the first of its entry
  collision::LaneLog log_;

  collision::Survivor survivors_[collision::kMaxSurvivors];
  collision::Suspects suspects_;
  Job* suspect_job_[collision::Suspects::kCapacity];
  unsigned suspects_age_ = 0;

  template <const RingSize& kSize>
  struct Rings {
    std::uint8_t* place(unsigned lane, unsigned blocks) {
      unsigned first = next_free[lane];
      if (first + blocks > kSize.blocks) first = 0;
      next_free[lane] = static_cast<std::uint8_t>(first + blocks);
      return block[lane][first];
    }
    alignas(64) std::uint8_t block[kMaxLanes][kSize.blocks][kBlockSize];
    std::uint8_t next_free[kMaxLanes] = {};
  };
  Rings<kSmallRing> small_rings_;
  Rings<kLargeRing> large_rings_;
  LaneDigests digests_;
};

// Stages `blocks` blocks of the job, from byte `offset` of its body on, as the last segment of the
// lane. This and what follows return the number of blocks of the segment.
inline std::uint32_t Batch::Engine::stage_end(unsigned lane, const Job& job, std::uint64_t offset,
                                              std::uint32_t blocks) {
  offset_[lane] = kLastSegment;
  helpers_.stage(place(lane, blocks), blocks, job, offset);
  return blocks;
}

// Returns: where the next segment of the lane, of `blocks` blocks, is to be staged.
inline std::uint8_t* Batch::Engine::place(unsigned lane, std::uint32_t blocks) {
  std::uint8_t* at = blocks <= kSmallRing.most ? small_rings_.place(lane, blocks)
                                               : large_rings_.place(lane, blocks);
  cursor_.at[lane] = at;
  return at;
}

// Gives the lane its first segment. A short message is staged as a whole, otherwise the header and
// as much of the body as completes its block.
inline std::uint32_t Batch::Engine::start(unsigned lane, Job* job) {
  job_[lane] = job;
  fresh_ |= 1U << lane;
  const std::size_t header = job->header_size;
  const std::uint64_t blocks = (header + job->body_size + 8) / kBlockSize + 1;
  if (blocks <= kStagedBlocks) return stage_end(lane, *job, 0, static_cast<std::uint32_t>(blocks));
  offset_[lane] = 0;
  if (header == 0) return next_segment(lane, *job);
  std::uint8_t* at = place(lane, 1);
  std::memcpy(at, job->header.data(), job->header.size());
  std::memcpy(at + header, job->body, kBlockSize - header);
  offset_[lane] = kBlockSize - header;
  return 1;
}

// Gives the lane the next segment of its job. Returns: 0 when there is none.
std::uint32_t Batch::Engine::next_segment(unsigned lane, const Job& job) {
  const std::uint64_t offset = offset_[lane];
  if (offset == kLastSegment) return 0;
  const std::uint64_t rest = job.body_size - offset;
  const std::uint64_t whole = rest / kBlockSize;
  if (whole == 0) return stage_end(lane, job, offset, rest < kBlockSize - 8 ? 1 : 2);
  const std::uint64_t blocks = std::min(whole, kMaxSegment);
  cursor_.at[lane] = job.body + offset;
  offset_[lane] = offset + blocks * kBlockSize;
  return static_cast<std::uint32_t>(blocks);
}

void Batch::Engine::fill_idle_lanes() {
  for (unsigned lane = 0; lane < lanes_ && live_ < lanes_; ++lane) {
    if (job_[lane] != nullptr) continue;
    Job* job = take_waiting();
    if (job == nullptr) return;
    cursor_.left[lane] = start(lane, job);
    least_left_ = std::min(least_left_, cursor_.left[lane]);
    ++live_;
  }
}

inline void Batch::Engine::finish_job(Job* job) {
  if (!detect_ || lanes_ == 0) {
    done_.push(job);
    return;
  }
  held_[held_count_++] = job;
  held_bytes_ += job->body_size;
}

// All lanes have advanced by `rows`: ends segments and jobs, and refills.
void Batch::Engine::end_segments(std::uint32_t rows) {
  const LaneProgress progress = helpers_.advance(cursor_, lanes_, rows);
  std::uint32_t least = progress.least;
  bool have_digests = false;
  for (std::uint32_t ended = progress.ended; ended != 0; ended &= ended - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(ended));
    Job* job = job_[lane];
    std::uint32_t blocks = next_segment(lane, *job);
    if (blocks == 0) {
      if (!have_digests) helpers_.digests(state_, ended, digests_);
      have_digests = true;
      std::memcpy(job->digest.data(), digests_.most[lane], 16);
      std::memcpy(job->digest.data() + 16, digests_.rest[lane], 4);
      finish_job(job);
      Job* following = take_waiting();
      if (following != nullptr) {
        blocks = start(lane, following);
      } else {
        job_[lane] = nullptr;
        blocks = kIdle;
        --live_;
      }
    }
    cursor_.left[lane] = blocks;
    least = std::min(least, blocks);
  }
  least_left_ = least;
}

// Leaves a full log unjudged, so that the jobs that end with these rows may still join it.
void Batch::Engine::run_rows(std::uint32_t rows) {
  reset_fresh();
  if (!detect_) {
    kernels_.compress_lanes(state_, cursor_.at, rows);
    return;
  }
  if (log_.rows + rows <= collision::kLogRows) {
    // The pointers are copied afterwards: a vector of those just written would have to wait.
    const unsigned first = log_.rows;
    kernels_.compress_lanes_logging(state_, cursor_.at, rows, log_);
    note_rows(first, rows, 0);
    return;
  }
  std::uint32_t done = 0;
  while (done != rows) {
    if (log_.rows == collision::kLogRows) judge();
    const unsigned first = log_.rows;
    const unsigned now = std::min<unsigned>(rows - done, collision::kLogRows - first);
    note_rows(first, now, done * kBlockSize);
    kernels_.compress_lanes_logging(state_, logged_[first].block, now, log_);
    done += now;
  }
}

// Notes whose blocks the rows from `first` on are: those `offset` behind where the lanes are.
void Batch::Engine::note_rows(unsigned first, unsigned rows, std::size_t offset) {
  Logged& logged = logged_[first];
  for (unsigned group = 0; group < lanes_; group += kLaneGroup) {
    for (unsigned lane = group; lane < group + kLaneGroup; ++lane) {
      logged.job[lane] = job_[lane];
      logged.block[lane] = cursor_.at[lane] + offset;
    }
  }
  for (unsigned row = first; row < first + rows; ++row) {
    logged_first_[row] = static_cast<std::uint8_t>(first);
  }
}

// Ends the job of a lane on the kernel for one message, from where it is.
void Batch::Engine::finish_alone(unsigned lane) {
  reset_fresh();
  Job* job = job_[lane];
  std::uint32_t state[5];
  for (unsigned i = 0; i < 5; ++i) state[i] = state_.word[i][lane];
  std::uint32_t blocks = cursor_.left[lane];
  do {
    if (detect_) {
      if (kernels_.compress_detecting(state, cursor_.at[lane], blocks)) job->collision = true;
    } else {
      kernels_.compress(state, cursor_.at[lane], blocks);
    }
    blocks = next_segment(lane, *job);
  } while (blocks != 0);
  for (unsigned i = 0; i < 5; ++i) store_be32(job->digest.data() + 4 * i, state[i]);
  finish_job(job);
  job_[lane] = nullptr;
  cursor_.left[lane] = kIdle;
}

// Whether another stretch of rows should be run: with all lanes live as long as jobs wait (or until
// the end), with fewer only at the end and only as long as it pays.
bool Batch::Engine::worth_running(bool drain) const {
  if (live_ == lanes_) return drain || begun_ != waiting_.count;
  return drain && live_ != 0 && live_ >= kernels_.worthwhile_lanes;
}

void Batch::Engine::run(bool drain) {
  run_lanes(drain);
  begun_ = 0;
  waiting_.count = 0;
  waiting_.bytes = 0;
}

void Batch::Engine::run_lanes(bool drain) {
  if (lanes_ == 0) {
    while (Job* job = take_waiting()) {
      cursor_.left[0] = start(0, job);
      finish_alone(0);
    }
    return;
  }
  fill_idle_lanes();
  while (worth_running(drain)) {
    if (live_ < lanes_) {
      // Every lane of the kernel reads: let the idle ones follow a live one.
      const unsigned live = static_cast<unsigned>(
          std::find_if(job_, job_ + lanes_, [](const Job* job) { return job != nullptr; }) - job_);
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        if (job_[lane] == nullptr) {
          cursor_.at[lane] = cursor_.at[live];
          cursor_.left[lane] = kIdle;
        }
      }
    }
    const std::uint32_t rows = least_left_;
    run_rows(rows);
    end_segments(rows);
    if (log_.rows == collision::kLogRows) judge();
  }
  if (!drain) {
    // Detection may lag behind, but not hold up many bodies. So seldom, an incomplete judgement
    // costs nothing.
    if (held_bytes_ >= kRunBytes) settle();
    return;
  }
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (job_[lane] != nullptr) finish_alone(lane);
  }
  live_ = 0;
  least_left_ = kIdle;
  if (detect_) settle();
}

Batch::Engine::Pending Batch::Engine::pending() const {
  Pending pending;
  const auto count = [&pending](const Job* job) {
    if (job == nullptr) return;
    ++pending.jobs;
    pending.bytes += job->body_size;
  };
  std::for_each(waiting_.jobs, waiting_.jobs + waiting_.count, count);
  std::for_each(job_, job_ + kMaxLanes, count);
  std::for_each(held_, held_ + held_count_, count);
  std::for_each(done_.jobs, done_.jobs + done_.count, count);
  for (const Job* job = done_.more; job != nullptr; job = job->next) count(job);
  return pending;
}

// Judges the logged rows; afterwards their blocks are not read again.
void Batch::Engine::judge() {
  const unsigned count = log_.rows == 0 ? 0 : kernels_.judge_lanes(log_, survivors_);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned row = survivors_[i].row;
    const unsigned lane = survivors_[i].lane;
    const unsigned first = logged_first_[row];
    Job* job = logged_[first].job[lane];
    if (job == nullptr) continue;
    const std::uint8_t* block = logged_[first].block[lane] + (row - first) * kBlockSize;
    const collision::LaneLog::Row& log = log_.row[row];
    suspect_job_[suspects_.count] = job;
    job->suspected = true;
    if (collision::add_suspect(suspects_, block, survivors_[i].vector, &log.early[0][lane],
                               &log.late[0][lane], &log.out[0][lane], kMaxLanes)) {
      recompress();
    }
  }
  log_.rows = 0;
  if (suspects_.count != 0 && ++suspects_age_ > kMaxSuspectAge) recompress();
  release();
}

// Gives back the jobs that are held for no reason any more. Requires: the log is empty.
void Batch::Engine::release() {
  // Counted here: what is in memory would have to be waited for, for each job.
  std::size_t done = done_.count;
  unsigned kept = 0;
  held_bytes_ = 0;
  for (unsigned i = 0; i < held_count_; ++i) {
    Job* job = held_[i];
    if (job->suspected) {
      held_[kept++] = job;
      held_bytes_ += job->body_size;
    } else if (done == Done::kPlaces) {
      done_.link(job);
    } else {
      done_.jobs[done++] = job;
    }
  }
  held_count_ = kept;
  done_.count = done;
}

void Batch::Engine::recompress() {
  std::uint32_t hits = kernels_.recompress(suspects_);
  for (; hits != 0; hits &= hits - 1) {
    suspect_job_[std::countr_zero(hits)]->collision = true;
  }
  for (unsigned i = 0; i < suspects_.count; ++i) suspect_job_[i]->suspected = false;
  suspects_.count = 0;
  suspects_.late = 0;
  suspects_age_ = 0;
}

// Ends all detection that lags behind.
void Batch::Engine::settle() {
  judge();
  if (suspects_.count != 0) recompress();
  release();
}

Batch::Batch(const Kernels& kernels, Detect detect)
    : engine_(std::make_unique<Engine>(kernels, detect, waiting_, done_)) {}
Batch::~Batch() = default;

void Batch::run() { engine_->run(false); }
void Batch::finish() { engine_->run(true); }
std::size_t Batch::pending() const { return engine_->pending().jobs; }
std::uint64_t Batch::pending_bytes() const { return engine_->pending().bytes; }
std::string_view Batch::kernel_name() const { return engine_->kernel_name(); }
bool Batch::detecting() const { return engine_->detecting(); }

}  // namespace assay::sha1
