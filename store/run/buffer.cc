#include "store/run/buffer.h"

#include <bit>
#include <cstdlib>
#include <new>

namespace assay {
namespace {

// No allocator has more; sanitizers end the process of whoever asks.
constexpr std::uint64_t kLargestAllocation = std::uint64_t{1} << 39;

}  // namespace

// Four classes to a doubling: at most a fifth of a buffer is wasted.
std::uint32_t BufferPool::class_of(std::size_t capacity) {
  if (capacity <= 256) return 0;
  const auto log = static_cast<std::uint32_t>(std::bit_width(capacity - 1)) - 1;  // >= 8
  const auto quarter = static_cast<std::uint32_t>((capacity - 1) >> (log - 2)) & 3;
  return (log - 8) * 4 + quarter + 1;
}

std::size_t BufferPool::class_capacity(std::uint32_t size_class) {
  if (size_class == 0) return 256;
  const std::uint32_t log = (size_class - 1) / 4 + 8;
  const std::uint32_t quarter = (size_class - 1) % 4;
  return (std::size_t{5} + quarter) << (log - 2);
}

BufferPool::~BufferPool() { trim(); }

void BufferPool::trim() {
  for (auto& list : free_) {
    for (Buffer* buffer : list) destroy(buffer);
    list.clear();
  }
  free_bytes_ = 0;
}

BufferRef BufferPool::make(std::size_t size) {
  const std::size_t wanted = size + Buffer::kSlack;
  if (wanted < size || wanted > kLargestAllocation) throw std::bad_alloc();
  const std::uint32_t size_class = class_of(wanted);
  Buffer* buffer = nullptr;
  if (size_class < kClasses && !free_[size_class].empty()) {
    buffer = free_[size_class].back();
    free_[size_class].pop_back();
    free_bytes_ -= buffer->capacity_;
  } else {
    const std::size_t capacity = size_class < kClasses ? class_capacity(size_class) : wanted;
    void* data = std::aligned_alloc(64, (capacity + 63) / 64 * 64);
    if (data == nullptr) throw std::bad_alloc();
    buffer = new Buffer;
    buffer->data_ = static_cast<std::uint8_t*>(data);
    buffer->capacity_ = capacity;
    buffer->size_class_ = size_class;
    budget_.take(capacity);
  }
  buffer->size_ = size;
  buffer->references_.store(1, std::memory_order_relaxed);
  return BufferRef(buffer);
}

BufferRef BufferPool::adopt(std::unique_ptr<BufferBacking> backing, std::size_t size) {
  auto* const buffer = new Buffer;
  buffer->data_ = backing->data();
  buffer->backing_ = std::move(backing);
  buffer->size_ = size;
  buffer->references_.store(1, std::memory_order_relaxed);
  return BufferRef(buffer);
}

void BufferPool::release(BufferRef&& reference) {
  Buffer* buffer = std::exchange(reference.buffer_, nullptr);
  if (buffer == nullptr) return;
  if (buffer->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  buffer->attachment.reset();
  if (buffer->is_spilled() || buffer->capacity_ > kLargestKept ||
      free_bytes_ + buffer->capacity_ > kMostFreeBytes) {
    destroy(buffer);
    return;
  }
  free_bytes_ += buffer->capacity_;
  free_[buffer->size_class_].push_back(buffer);
}

void BufferPool::destroy(Buffer* buffer) {
  if (!buffer->is_spilled()) {
    budget_.give_back(buffer->capacity_);
    std::free(buffer->data_);
  }
  delete buffer;
}

}  // namespace assay
