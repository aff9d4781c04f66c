#include "tools/common/output.h"

namespace assay::tools {

Output::Output(os::System& system, int fd, Buffering buffering)
    : system_(system), fd_(fd), capacity_(buffering == Buffering::kBuffered ? kBufferSize : 0) {
  buffer_.reserve(capacity_);
}

void Output::write(ByteView bytes) {
  if (buffer_.size() + bytes.size() > capacity_) {
    flush();
    if (bytes.size() > capacity_) return write_through(bytes);
  }
  buffer_.append(as_text(bytes));
}

void Output::flush() {
  write_through(as_bytes(buffer_));
  buffer_.clear();
}

void Output::write_through(ByteView bytes) {
  if (error_ != 0 || bytes.empty()) return;
  const auto written = os::write_all(system_, fd_, bytes);
  if (!written) error_ = written.error().code;
}

}  // namespace assay::tools
