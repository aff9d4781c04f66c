#include "sha1/sha1.h"

#include <cstring>

#include "sha1/padding.h"

namespace assay::sha1 {

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
  if (size != 0) std::memcpy(buffer_.data(), bytes, size);
}

Result Hasher::finish() {
  static_assert(std::tuple_size<decltype(buffer_)>::value >= kTailRoom);
  compress(buffer_.data(), write_padding(buffer_.data(), length_));
  Result result;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    store_be32(result.digest.data() + 4 * i, state_[i]);
  }
  result.collision = collision_;
  reset();
  return result;
}

void Hasher::reset() {
  state_ = kInitialState;
  length_ = 0;
  collision_ = false;
}

Result digest_of(std::span<const std::uint8_t> message) {
  Hasher hasher;
  hasher.update(message);
  return hasher.finish();
}

}  // namespace assay::sha1
