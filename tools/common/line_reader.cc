#include "tools/common/line_reader.h"

namespace assay::tools {

bool LineReader::next(std::string& line) {
  std::size_t searched = position_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, position_, end - position_);
      position_ = end + 1;
      if (line.ends_with('\r')) line.pop_back();
      was_ended_ = true;
      return true;
    }
    searched = buffer_.size() - position_;
    if (!fill()) break;
  }
  if (position_ == buffer_.size()) return false;
  line.assign(buffer_, position_);
  position_ = buffer_.size();
  was_ended_ = false;
  return true;
}

// Drops what was returned and reads on.
bool LineReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, position_);
  position_ = 0;
  constexpr std::size_t kReadSize = std::size_t{256} << 10;
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + kReadSize);
  const auto size = system_.read(fd_, buffer_.data() + old_size, kReadSize);
  buffer_.resize(old_size + size.value_or(0));
  ended_ = size.value_or(0) == 0;
  return !ended_;
}

}  // namespace assay::tools
