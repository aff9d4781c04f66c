// LineReader: lines of a file descriptor, and whether another complete one waits already.
//
// Lines end with LF or CR LF, which are not returned; a last line without an end counts. Reads
// only when no complete line is there, so a program at the other end of the pipe that waits for an
// answer before it writes on is never kept waiting. Thread safety: none.
#pragma once

#include <string>

#include "store/os/system.h"

namespace assay::tools {

class LineReader {
 public:
  // Borrows the descriptor.
  LineReader(os::System& system, int fd) : system_(system), fd_(fd) {}

  // Returns: false at the end of the input or after a read error.
  bool next(std::string& line);
  // Whether the line that next() returned last had an end.
  bool was_ended() const { return was_ended_; }
  // True when next() will return a line without reading.
  bool has_complete_line() const { return buffer_.find('\n', position_) != std::string::npos; }

 private:
  bool fill();

  os::System& system_;
  int fd_;
  std::string buffer_;
  std::size_t position_ = 0;
  bool ended_ = false;
  bool was_ended_ = false;
};

}  // namespace assay::tools
