// Output: a buffered stream to a file descriptor (standard output, standard error).
//
// Nothing is thrown: a failed write is remembered, later writes are dropped, and whoever ends the
// program asks `failed()`. Thread safety: none, one thread writes to one Output.
#pragma once

#include <string>
#include <string_view>

#include "store/base/bytes.h"
#include "store/os/system.h"

namespace assay::tools {

class Output {
 public:
  // `kUnbuffered` writes every call through at once, as standard error should.
  enum class Buffering : std::uint8_t { kBuffered, kUnbuffered };

  // Borrows the descriptor; it is not closed.
  Output(os::System& system, int fd, Buffering buffering = Buffering::kBuffered);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text) { write(as_bytes(text)); }
  void write(ByteView bytes);
  void flush();

  int fd() const { return fd_; }
  // Returns: the error number of the first write that failed, 0 when none has.
  int failed() const { return error_; }

 private:
  static constexpr std::size_t kBufferSize = std::size_t{64} << 10;

  void write_through(ByteView bytes);

  os::System& system_;
  int fd_;
  std::size_t capacity_;
  std::string buffer_;
  int error_ = 0;
};

}  // namespace assay::tools
