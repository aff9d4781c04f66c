#include "sha1/sha1.h"

#include <cstring>

#include "sha1/padding.h"

namespace assay::sha1 {
namespace {

// A message of up to so many whole blocks is put together with its padding: copying a block costs
// less than a second call, whose first block is hashed with nothing beside it.
constexpr std::size_t kStagedBlocks = 4;

// Copies less than a block, so that finish() reads it in the same pieces: see write_tail.
void keep_tail(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  if (size < 16) {
    std::memcpy(to, from, size);
    return;
  }
  std::memcpy(to + size - 16, from + size - 16, 16);
  for (std::size_t at = 0; at + 16 <= size; at += 16) std::memcpy(to + at, from + at, 16);
}

Result result_of(const std::uint32_t state[5], bool collision) {
  Result result;
  for (std::size_t i = 0; i < 5; ++i) store_be32(result.digest.data() + 4 * i, state[i]);
  result.collision = collision;
  return result;
}

}  // namespace

Hasher::Hasher(Detect detect, const Kernels& kernels)
    : kernels_(&kernels), detect_(detect == Detect::kOn) {}

Hasher::Hasher(const Midstate& midstate, Detect detect, const Kernels& kernels)
    : kernels_(&kernels),
      state_(midstate.state),
      length_(midstate.length),
      detect_(detect == Detect::kOn) {}

void Hasher::compress(const std::uint8_t* blocks, std::size_t n) {
  if (detect_) {
    if (kernels_->compress_detecting(state_.data(), blocks, n)) collision_ = true;
  } else {
    kernels_->compress(state_.data(), blocks, n);
  }
}

void Hasher::update(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return;  // bytes may be null, which memcpy does not allow
  const std::size_t filled = static_cast<std::size_t>(length_ % kBlockSize);
  length_ += size;
  if (filled != 0) {
    const std::size_t room = kBlockSize - filled;
    if (size < room) {
      std::memcpy(buffer_.data() + filled, bytes, size);
      return;
    }
    std::memcpy(buffer_.data() + filled, bytes, room);
    compress(buffer_.data(), 1);
    bytes += room;
    size -= room;
  }
  const std::size_t whole = size / kBlockSize;
  if (whole != 0) {
    compress(bytes, whole);
    bytes += whole * kBlockSize;
    size -= whole * kBlockSize;
  }
  if (size != 0) keep_tail(buffer_.data(), bytes, size);
}

Result Hasher::finish() {
  alignas(kBlockSize) std::uint8_t tail[kTailRoom];
  compress(tail, write_tail(tail, buffer_.data(), length_));
  const Result result = result_of(state_.data(), collision_);
  reset();
  return result;
}

void Hasher::reset() {
  state_ = kInitialState;
  length_ = 0;
  collision_ = false;
}

Result digest_of(std::span<const std::uint8_t> message, Detect detect, const Kernels& kernels) {
  std::array<std::uint32_t, 5> state = kInitialState;
  bool collision = false;
  const auto compress = [&](const std::uint8_t* blocks, std::size_t n) {
    if (detect == Detect::kOn) {
      if (kernels.compress_detecting(state.data(), blocks, n)) collision = true;
    } else {
      kernels.compress(state.data(), blocks, n);
    }
  };
  alignas(kBlockSize) std::uint8_t staged[kStagedBlocks * kBlockSize + kTailRoom];
  const std::uint8_t* bytes = message.data();
  const std::size_t whole = message.size() / kBlockSize;
  const std::size_t whole_size = whole * kBlockSize;
  if (whole <= kStagedBlocks) {
    for (std::size_t at = 0; at < whole_size; at += kBlockSize) {
      std::memcpy(staged + at, bytes + at, kBlockSize);
    }
    const std::size_t more = write_tail(staged + whole_size, bytes + whole_size, message.size());
    compress(staged, whole + more);
  } else {
    compress(bytes, whole);
    compress(staged, write_tail(staged, bytes + whole_size, message.size()));
  }
  return result_of(state.data(), collision);
}

}  // namespace assay::sha1
