// What the lane engine does between rows, in plain C++.

#include "sha1/kernels/lane_helpers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sha1/padding.h"

namespace assay::sha1 {
namespace {

// Loops over a group have a constant count, so that the compiler can make vectors of them.
constexpr unsigned kLaneGroup = 8;

void reset(LaneState& state, std::uint32_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
    for (unsigned i = 0; i < 5; ++i) state.word[i][lane] = kInitialState[i];
  }
}

LaneProgress advance(LaneCursor& cursor, unsigned lanes, std::uint32_t rows) {
  LaneProgress progress = {0, ~std::uint32_t{0}};
  const std::size_t bytes = rows * kBlockSize;
  for (unsigned group = 0; group < lanes; group += kLaneGroup) {
    for (unsigned lane = group; lane < group + kLaneGroup; ++lane) {
      const std::uint32_t left = cursor.left[lane] - rows;
      cursor.left[lane] = left;
      cursor.at[lane] += bytes;
      progress.ended |= static_cast<std::uint32_t>(left == 0) << lane;
      // One less, so that none left is the most.
      progress.least = std::min(progress.least, left - 1);
    }
  }
  ++progress.least;
  return progress;
}

// Copies a few hundred bytes or less, without a call and without a loop over bytes. Reads and
// writes `size` bytes only.
inline void copy_short(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  if (size >= 64) {
    std::uint8_t* const last_to = to + size - 64;
    const std::uint8_t* const last_from = from + size - 64;
    for (; to < last_to; to += 64, from += 64) std::memcpy(to, from, 64);
    std::memcpy(last_to, last_from, 64);
  } else if (size >= 32) {
    std::memcpy(to, from, 32);
    std::memcpy(to + size - 32, from + size - 32, 32);
  } else if (size >= 16) {
    std::memcpy(to, from, 16);
    std::memcpy(to + size - 16, from + size - 16, 16);
  } else if (size >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + size - 8, from + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + size - 4, from + size - 4, 4);
  } else if (size != 0) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
}

void stage(std::uint8_t* to, std::size_t blocks, const Job& job, std::uint64_t offset) {
  // The padding is in the last two blocks.
  std::uint8_t* const end = to + blocks * kBlockSize;
  std::memset(end - kBlockSize, 0, kBlockSize);
  if (blocks > 1) std::memset(end - 2 * kBlockSize, 0, kBlockSize);
  std::uint8_t* at = to;
  if (offset == 0 && job.header_size != 0) {
    copy_short(at, job.header.data(), job.header_size);
    at += job.header_size;
  }
  const std::size_t rest = static_cast<std::size_t>(job.body_size - offset);
  if (rest != 0) copy_short(at, job.body + offset, rest);
  at[rest] = 0x80;
  write_length(end, job.header_size + job.body_size);
}

void digests(const LaneState& state, std::uint32_t lanes, LaneDigests& digests) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
    for (unsigned i = 0; i < 4; ++i) store_be32(digests.most[lane] + 4 * i, state.word[i][lane]);
    store_be32(digests.rest[lane], state.word[4][lane]);
  }
}

}  // namespace

const LaneHelpers kPortableLaneHelpers = {reset, advance, stage, digests};

}  // namespace assay::sha1
