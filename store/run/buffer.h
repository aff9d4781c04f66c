// Buffers for object bytes: counted references, size classes, recycled last in, first out so that
// the next object is written where the last one still lies in the cache.
//
// A Buffer is made by one thread and may be released by another. BufferRef counts; when the last
// reference goes the memory goes to the pool of the releasing thread's choice (see BufferPool).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "store/base/bytes.h"

namespace assay {

// What may be tied to a buffer for as long as it lives (the entry offsets of a tree).
class BufferAttachment {
 public:
  virtual ~BufferAttachment() = default;
};

// Memory of a buffer that lies outside the budget, in a file.
class BufferBacking {
 public:
  virtual ~BufferBacking() = default;
  virtual std::uint8_t* data() = 0;
  // Nothing of it need be in memory now.
  virtual void drop_pages() = 0;
};

// Memory that all pools of a process may hold: live bytes are counted against a limit.
// Thread safety: all functions.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t limit) : limit_(limit) {}
  std::uint64_t limit() const { return limit_; }
  std::uint64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  bool has_room(std::uint64_t size) const { return size <= limit_ && in_use() <= limit_ - size; }
  void take(std::uint64_t size) { in_use_.fetch_add(size, std::memory_order_relaxed); }
  void give_back(std::uint64_t size) { in_use_.fetch_sub(size, std::memory_order_relaxed); }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> in_use_{0};
};

class Buffer {
 public:
  // Bytes that may be read and written behind the object (see kDeltaSlack).
  static constexpr std::size_t kSlack = 64;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  ByteView bytes() const { return {data_, size_}; }
  bool is_spilled() const { return backing_ != nullptr; }
  // Does nothing unless is_spilled().
  void drop_pages() {
    if (backing_ != nullptr) backing_->drop_pages();
  }

  std::unique_ptr<BufferAttachment> attachment;

 private:
  friend class BufferPool;
  friend class BufferRef;

  std::atomic<std::uint32_t> references_{0};
  std::uint32_t size_class_ = 0;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::uint8_t* data_ = nullptr;
  std::unique_ptr<BufferBacking> backing_;
};

class BufferRef;

// Free buffers of one thread. Thread safety: one pool a thread.
class BufferPool {
 public:
  explicit BufferPool(ByteBudget& budget) : budget_(budget) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Returns: a buffer of `size` bytes with undefined content. Throws std::bad_alloc.
  BufferRef make(std::size_t size);
  // Returns: a buffer of `size` bytes that does not count against the budget.
  // Requires: `backing` has Buffer::kSlack bytes more.
  static BufferRef adopt(std::unique_ptr<BufferBacking> backing, std::size_t size);
  // Drops a reference; the memory of the last one stays here for the next make().
  void release(BufferRef&& reference);
  // Gives the memory of all free buffers back to the budget.
  void trim();

 private:
  friend class BufferRef;
  static constexpr std::size_t kClasses = 64;
  static constexpr std::size_t kMostFreeBytes = std::size_t{8} << 20;
  static constexpr std::size_t kLargestKept = std::size_t{4} << 20;

  static std::uint32_t class_of(std::size_t capacity);
  static std::size_t class_capacity(std::uint32_t size_class);
  void destroy(Buffer* buffer);

  ByteBudget& budget_;
  std::array<std::vector<Buffer*>, kClasses> free_;
  std::size_t free_bytes_ = 0;
};

// A counted reference. Must be given back through BufferPool::release (a destroyed non-empty
// reference is a bug of the caller; it traps).
class BufferRef {
 public:
  BufferRef() = default;
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  BufferRef(const BufferRef&) = delete;
  BufferRef& operator=(const BufferRef&) = delete;
  ~BufferRef() {
    if (buffer_ != nullptr) __builtin_trap();
  }

  BufferRef share() const {
    buffer_->references_.fetch_add(1, std::memory_order_relaxed);
    return BufferRef(buffer_);
  }
  Buffer* operator->() const { return buffer_; }
  Buffer& operator*() const { return *buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  friend class BufferPool;
  explicit BufferRef(Buffer* buffer) : buffer_(buffer) {}
  Buffer* buffer_ = nullptr;
};

}  // namespace assay
