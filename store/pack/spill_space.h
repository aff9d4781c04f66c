// SpillSpace: room for objects that are larger than memory may be: files without a name in a
// temporary directory, mapped. The system writes their pages out when it is short of memory, and
// whoever works on one lets go of what it has done with (Buffer::drop_pages), so little of a file
// is in memory at a time.
//
// Thread safety: all functions.
#pragma once

#include <atomic>
#include <initializer_list>
#include <string>
#include <vector>

#include "store/os/system.h"
#include "store/report/fault.h"
#include "store/run/buffer.h"

namespace assay {

class SpillSpace {
 public:
  // `allowance`: bytes that may be made in all, so that a bomb cannot write for hours.
  SpillSpace(os::System& system, std::string directory, std::uint64_t allowance)
      : system_(system), directory_(std::move(directory)), left_(allowance) {}

  // Returns: a buffer of `size` bytes, undefined. Errors: kObjectTooLarge, with the reason.
  Result<BufferRef> make(std::uint64_t size);

 private:
  bool take(std::uint64_t size);

  os::System& system_;
  std::string directory_;
  std::atomic<std::uint64_t> left_;
};

// Keeps little of some buffers in memory while they are worked on, of those that are spilled.
class PageDropper {
 public:
  PageDropper(std::initializer_list<Buffer*> buffers) : buffers_(buffers) {}
  ~PageDropper() { drop(); }

  // So many bytes in a row were touched, anywhere.
  void touched(std::size_t size) {
    touched_ += size + kPage;
    if (touched_ >= kDropEvery) drop();
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kDropEvery = std::size_t{16} << 20;

  void drop() {
    for (Buffer* buffer : buffers_) buffer->drop_pages();
    touched_ = 0;
  }

  std::vector<Buffer*> buffers_;
  std::size_t touched_ = 0;
};

}  // namespace assay
