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

// The lanes run when this much waits: enough that refilling never stops for lack of jobs, little
// enough that what waits is still in the second-level cache.
constexpr std::size_t kRunJobs = 64;
constexpr std::uint64_t kRunBytes = 256 * 1024;

// A message of up to so many blocks is staged as a whole: copying a block costs a few cycles, an
// additional segment costs about sixty.
constexpr std::uint64_t kStagedBlocks = 8;

// Blocks in the staging ring of a lane, and the most that are staged at once. A staged block must
// stay in place until it is judged, that is for kLogRows rows of its lane. A chunk that does not
// fit before the end of the ring starts at its beginning; so between a block and what overwrites it
// lie at least kRingBlocks - 2 * (kChunkBlocks - 1) - 1 = 13 blocks of the lane. A chunk may spoil
// the block behind it, and counts it.
constexpr unsigned kRingBlocks = 32;
constexpr unsigned kChunkBlocks = 10;
static_assert(kStagedBlocks < kChunkBlocks);
// If the last block holds the end of the message and the length, that end is at byte 55 at most.
static_assert(kBlockSize - 9 + kPaddingReach <= 2 * kBlockSize);
static_assert(kRingBlocks - 2 * (kChunkBlocks - 1) - 1 >= collision::kLogRows);

// Segments are counted in 32 bits; a longer direct run is cut here.
constexpr std::uint64_t kMaxSegment = std::uint64_t{1} << 24;

// Suspects wait until a full set can be recompressed at once, but not for more judgements than
// this: they hold up jobs.
constexpr unsigned kMaxSuspectAge = 4;

// Numbers of lanes are multiples of this; loops over a group have a constant count, so that the
// compiler can make vectors of them.
constexpr unsigned kLaneGroup = 8;

constexpr std::uint32_t kIdle = std::numeric_limits<std::uint32_t>::max();

// Jobs linked by Job::next, first in, first out.
struct JobQueue {
  Job* first = nullptr;
  Job* last = nullptr;

  bool empty() const { return first == nullptr; }
  void push(Job* job) {
    job->next = nullptr;
    if (last != nullptr) {
      last->next = job;
    } else {
      first = job;
    }
    last = job;
  }
  Job* pop() {
    Job* job = first;
    if (job != nullptr) {
      first = job->next;
      if (first == nullptr) last = nullptr;
      job->next = nullptr;
    }
    return job;
  }
  void take_all(JobQueue& other) {
    if (other.empty()) return;
    if (last != nullptr) {
      last->next = other.first;
    } else {
      first = other.first;
    }
    last = other.last;
    other = JobQueue{};
  }
};

}  // namespace

class Batch::Engine {
 public:
  Engine(const Kernels& kernels, Detect detect)
      : kernels_(kernels),
        detect_(detect == Detect::kOn),
        lanes_(kernels.lanes),
        helpers_(kernels.lane_helpers != nullptr ? *kernels.lane_helpers : kPortableLaneHelpers) {
    std::fill(std::begin(cursor_.left), std::end(cursor_.left), kIdle);
  }

  void submit(Job* job) {
    job->collision = false;
    // Staging will copy the beginning; by then it should be in the first-level cache.
    __builtin_prefetch(job->body);
    __builtin_prefetch(job->body + kBlockSize);
    waiting_.push(job);
    if (!job->background) {
      ++waiting_jobs_;
      waiting_bytes_ += job->header_size + job->body_size;
    }
    ++pending_;
    pending_bytes_ += job->body_size;
    if (should_run()) run(false);
  }

  Job* poll() {
    Job* job = done_.pop();
    if (job != nullptr) {
      --pending_;
      pending_bytes_ -= job->body_size;
    }
    return job;
  }

  bool should_run() const { return waiting_jobs_ >= kRunJobs || waiting_bytes_ >= kRunBytes; }
  std::uint64_t bytes_hashed() const { return bytes_hashed_; }
  std::size_t pending() const { return pending_; }
  std::uint64_t pending_bytes() const { return pending_bytes_; }
  std::string_view kernel_name() const { return kernels_.name; }
  bool detecting() const { return detect_; }

  // Runs until the queue is empty; when `drain`, until every job is done.
  void run(bool drain);

 private:
  // What follows the present segment of a lane.
  enum class Next : std::uint8_t { kBody, kEnd };

  Job* take_waiting();
  void start(unsigned lane, Job* job);
  bool next_segment(unsigned lane);
  void stage_tail(unsigned lane, std::uint8_t* at, std::size_t filled, std::size_t blocks);
  std::uint8_t* stage(unsigned lane, unsigned blocks);
  void set_left(unsigned lane, std::uint32_t blocks) {
    cursor_.left[lane] = blocks;
    least_left_ = std::min(least_left_, blocks);
  }
  void reset_fresh() {
    if (fresh_ != 0) helpers_.reset(state_, fresh_);
    fresh_ = 0;
  }
  void fill_idle_lanes();
  void end_segments(std::uint32_t rows);
  void finish_job(Job* job);
  void run_rows(std::uint32_t rows);
  void note_rows(unsigned first, unsigned rows, std::size_t offset);
  bool worth_running(bool drain) const;
  void finish_alone(unsigned lane);
  void judge();
  void recompress();
  void settle();

  const Kernels& kernels_;
  const bool detect_;
  const unsigned lanes_;
  const LaneHelpers& helpers_;
  unsigned live_ = 0;

  // The lanes, as a struct of arrays.
  LaneState state_;
  LaneCursor cursor_ = {};            // left is kIdle where there is no job
  std::uint32_t least_left_ = kIdle;  // of all lanes
  std::uint32_t fresh_ = 0;           // lanes whose state is the initial one, not yet in state_
  Job* job_[kMaxLanes] = {};
  std::uint64_t offset_[kMaxLanes] = {};  // bytes of the body in this and earlier segments
  Next next_[kMaxLanes] = {};
  std::uint8_t ring_at_[kMaxLanes] = {};  // next free block of the ring

  JobQueue waiting_;              // not begun
  JobQueue unjudged_;             // hashed; some rows are in the log
  JobQueue suspect_;              // judged; some suspects may be in the queue
  JobQueue done_;                 // for poll
  std::size_t waiting_jobs_ = 0;  // without background jobs
  std::uint64_t waiting_bytes_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t bytes_hashed_ = 0;
  std::uint64_t unsettled_bytes_ = 0;  // at least what unjudged_ and suspect_ hold up

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

  // One block more than the ring has, for what may be spoilt behind a chunk, and so that the rings
  // of the lanes do not fall in the same cache sets.
  alignas(64) std::uint8_t ring_[kMaxLanes][(kRingBlocks + 1) * kBlockSize];
};

Job* Batch::Engine::take_waiting() {
  Job* job = waiting_.pop();
  if (job == nullptr) return nullptr;
  const std::uint64_t size = job->header_size + job->body_size;
  if (!job->background) {
    --waiting_jobs_;
    waiting_bytes_ -= size;
  }
  bytes_hashed_ += size;
  return job;
}

std::uint8_t* Batch::Engine::stage(unsigned lane, unsigned blocks) {
  unsigned first = ring_at_[lane];
  if (first + blocks > kRingBlocks) first = 0;
  ring_at_[lane] = static_cast<std::uint8_t>(first + blocks);
  set_left(lane, blocks);
  std::uint8_t* at = &ring_[lane][first * kBlockSize];
  cursor_.at[lane] = at;
  return at;
}

// Completes the message at `at`, where `filled` bytes are already and `blocks` blocks are to be,
// with the rest of the body and the padding.
void Batch::Engine::stage_tail(unsigned lane, std::uint8_t* at, std::size_t filled,
                               std::size_t blocks) {
  const Job& job = *job_[lane];
  const std::size_t rest = static_cast<std::size_t>(job.body_size - offset_[lane]);
  helpers_.write_tail(at + filled, at + blocks * kBlockSize, job.body + offset_[lane], rest,
                      job.header_size + job.body_size);
  next_[lane] = Next::kEnd;
}

// Gives the lane its first segment. A short message is staged as a whole, otherwise the header and
// as much of the body as completes its block.
void Batch::Engine::start(unsigned lane, Job* job) {
  job_[lane] = job;
  offset_[lane] = 0;
  fresh_ |= 1U << lane;
  const std::size_t header = job->header_size;
  const std::uint64_t blocks = (header + job->body_size + 8) / kBlockSize + 1;
  if (blocks <= kStagedBlocks) {
    std::uint8_t* at = stage(lane, static_cast<unsigned>(blocks));
    std::memcpy(at, job->header.data(), job->header.size());
    stage_tail(lane, at, header, static_cast<std::size_t>(blocks));
    return;
  }
  next_[lane] = Next::kBody;
  if (header == 0) {
    next_segment(lane);
    return;
  }
  std::uint8_t* at = stage(lane, 1);
  std::memcpy(at, job->header.data(), job->header.size());
  std::memcpy(at + header, job->body, kBlockSize - header);
  offset_[lane] = kBlockSize - header;
}

// Gives the lane the next segment of its job. Returns: false when there is none.
bool Batch::Engine::next_segment(unsigned lane) {
  if (next_[lane] == Next::kEnd) return false;
  const Job& job = *job_[lane];
  const std::uint64_t whole = (job.body_size - offset_[lane]) / kBlockSize;
  if (whole != 0) {
    const std::uint64_t blocks = std::min(whole, kMaxSegment);
    cursor_.at[lane] = job.body + offset_[lane];
    set_left(lane, static_cast<std::uint32_t>(blocks));
    offset_[lane] += blocks * kBlockSize;
    return true;
  }
  const std::uint64_t rest = job.body_size - offset_[lane];
  const unsigned blocks = rest < kBlockSize - 8 ? 1 : 2;
  stage_tail(lane, stage(lane, blocks), 0, blocks);
  return true;
}

void Batch::Engine::fill_idle_lanes() {
  for (unsigned lane = 0; lane < lanes_ && live_ < lanes_; ++lane) {
    if (job_[lane] != nullptr) continue;
    Job* job = take_waiting();
    if (job == nullptr) return;
    start(lane, job);
    ++live_;
  }
}

void Batch::Engine::finish_job(Job* job) {
  if (!detect_) {
    done_.push(job);
    return;
  }
  unjudged_.push(job);
  unsettled_bytes_ += job->body_size;
}

// All lanes have advanced by `rows`: ends segments and jobs, and refills.
void Batch::Engine::end_segments(std::uint32_t rows) {
  const LaneProgress progress = helpers_.advance(cursor_, lanes_, rows);
  least_left_ = progress.least;
  for (std::uint32_t ended = progress.ended; ended != 0; ended &= ended - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(ended));
    if (next_segment(lane)) continue;
    Job* job = job_[lane];
    for (unsigned i = 0; i < 5; ++i) {
      store_be32(job->digest.data() + 4 * i, state_.word[i][lane]);
    }
    finish_job(job);
    Job* following = take_waiting();
    if (following != nullptr) {
      start(lane, following);
    } else {
      job_[lane] = nullptr;
      cursor_.left[lane] = kIdle;
      --live_;
    }
  }
}

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
    if (log_.rows == collision::kLogRows) judge();
    return;
  }
  std::uint32_t done = 0;
  while (done != rows) {
    const unsigned first = log_.rows;
    const unsigned now = std::min<unsigned>(rows - done, collision::kLogRows - first);
    note_rows(first, now, done * kBlockSize);
    kernels_.compress_lanes_logging(state_, logged_[first].block, now, log_);
    done += now;
    if (log_.rows == collision::kLogRows) judge();
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
  do {
    if (detect_) {
      if (kernels_.compress_detecting(state, cursor_.at[lane], cursor_.left[lane]))
        job->collision = true;
    } else {
      kernels_.compress(state, cursor_.at[lane], cursor_.left[lane]);
    }
  } while (next_segment(lane));
  for (unsigned i = 0; i < 5; ++i) store_be32(job->digest.data() + 4 * i, state[i]);
  finish_job(job);
  job_[lane] = nullptr;
  cursor_.left[lane] = kIdle;
}

// Whether another stretch of rows should be run: with all lanes live as long as jobs wait (or until
// the end), with fewer only at the end and only as long as it pays.
bool Batch::Engine::worth_running(bool drain) const {
  if (live_ == lanes_) return drain || !waiting_.empty();
  return drain && live_ != 0 && live_ >= kernels_.worthwhile_lanes;
}

void Batch::Engine::run(bool drain) {
  if (lanes_ == 0) {
    while (Job* job = take_waiting()) {
      start(0, job);
      finish_alone(0);
    }
    done_.take_all(unjudged_);
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
  }
  if (!drain) {
    // Detection may lag behind, but not hold up many bodies. So seldom, an incomplete judgement
    // costs nothing.
    if (unsettled_bytes_ >= kRunBytes) settle();
    return;
  }
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (job_[lane] != nullptr) finish_alone(lane);
  }
  live_ = 0;
  least_left_ = kIdle;
  if (detect_) settle();
}

// Judges the logged rows; afterwards their blocks are not read again.
void Batch::Engine::judge() {
  const unsigned count = log_.rows == 0 ? 0 : kernels_.judge_lanes(log_, survivors_);
  bool recompressed = false;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned row = survivors_[i].row;
    const unsigned lane = survivors_[i].lane;
    const unsigned first = logged_first_[row];
    Job* job = logged_[first].job[lane];
    if (job == nullptr) continue;
    const std::uint8_t* block = logged_[first].block[lane] + (row - first) * kBlockSize;
    const collision::LaneLog::Row& log = log_.row[row];
    suspect_job_[suspects_.count] = job;
    if (collision::add_suspect(suspects_, block, survivors_[i].vector, &log.early[0][lane],
                               &log.late[0][lane], &log.out[0][lane], kMaxLanes)) {
      recompress();
      recompressed = true;
    }
  }
  log_.rows = 0;
  // The suspects of earlier judgements came first in the queue.
  if (recompressed || suspects_.count == 0) done_.take_all(suspect_);
  suspect_.take_all(unjudged_);
  if (suspects_.count == 0) {
    done_.take_all(suspect_);
  } else if (++suspects_age_ > kMaxSuspectAge) {
    recompress();
    done_.take_all(suspect_);
  }
}

void Batch::Engine::recompress() {
  std::uint32_t hits = kernels_.recompress(suspects_);
  for (; hits != 0; hits &= hits - 1) {
    suspect_job_[std::countr_zero(hits)]->collision = true;
  }
  suspects_.count = 0;
  suspects_.late = 0;
  suspects_age_ = 0;
}

// Ends all detection that lags behind.
void Batch::Engine::settle() {
  judge();
  if (suspects_.count != 0) recompress();
  done_.take_all(suspect_);
  unsettled_bytes_ = 0;
}

Batch::Batch(const Kernels& kernels, Detect detect)
    : engine_(std::make_unique<Engine>(kernels, detect)) {}
Batch::~Batch() = default;

void Batch::submit(Job* job) { engine_->submit(job); }
Job* Batch::poll() { return engine_->poll(); }
void Batch::run() { engine_->run(false); }
void Batch::finish() { engine_->run(true); }
bool Batch::should_run() const { return engine_->should_run(); }
std::uint64_t Batch::bytes_hashed() const { return engine_->bytes_hashed(); }
std::size_t Batch::pending() const { return engine_->pending(); }
std::uint64_t Batch::pending_bytes() const { return engine_->pending_bytes(); }
std::string_view Batch::kernel_name() const { return engine_->kernel_name(); }
bool Batch::detecting() const { return engine_->detecting(); }

}  // namespace assay::sha1
