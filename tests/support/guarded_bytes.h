// Bytes between two pages that must not be touched: a step outside kills the test.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <span>

#include "store/base/bytes.h"

namespace assay::testing {

enum class GuardedEdge : std::uint8_t { kFront, kBack };

class GuardedBytes {
 public:
  // `edge`: the end that touches a guard page. `slack`: bytes that belong to the caller behind the
  // `size` ones that span() gives.
  GuardedBytes(std::size_t size, std::size_t slack, GuardedEdge edge) : size_(size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t whole = (size + slack + page - 1) / page * page;
    mapped_ = whole + 2 * page;
    void* memory =
        ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      ADD_FAILURE() << "mmap of " << mapped_ << " bytes";
      mapped_ = 0;
      return;
    }
    memory_ = static_cast<std::uint8_t*>(memory);
    if (whole != 0 && ::mprotect(memory_ + page, whole, PROT_READ | PROT_WRITE) != 0) {
      ADD_FAILURE() << "mprotect";
    }
    data_ = memory_ + page + (edge == GuardedEdge::kBack ? whole - size - slack : 0);
  }
  GuardedBytes(ByteView content, std::size_t slack, GuardedEdge edge)
      : GuardedBytes(content.size(), slack, edge) {
    if (!content.empty()) std::memcpy(data_, content.data(), content.size());
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() {
    if (mapped_ != 0) ::munmap(memory_, mapped_);
  }

  std::span<std::uint8_t> span() { return {data_, size_}; }
  ByteView view() const { return {data_, size_}; }

 private:
  std::uint8_t* memory_ = nullptr;
  std::size_t mapped_ = 0;
  std::uint8_t* data_ = nullptr;
  std::size_t size_;
};

}  // namespace assay::testing
