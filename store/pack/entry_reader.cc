#include "store/pack/entry_reader.h"

#include <algorithm>

namespace assay {

ByteView EntryReader::read(const PackFile& pack, PackOffset begin, PackOffset end) {
  const std::uint64_t end_of_entries = pack.end_of_entries();
  const std::uint64_t needed_end =
      std::min(std::max(end.value, begin.value + PackFile::kMaxEntryHeaderSize), end_of_entries);
  const std::uint64_t needed = needed_end - begin.value;
  if (&pack != pack_ || begin.value < begin_ || needed_end > end_) {
    pack_ = nullptr;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(
        std::max<std::uint64_t>(needed, kReadAtOnce), end_of_entries - begin.value));
    if (size <= kRoom) {
      if (buffer_.empty()) buffer_.resize(kRoom);
      const std::size_t read = pack.read_at(begin.value, buffer_.data(), size);
      begin_ = begin.value;
      end_ = begin.value + read;
      if (read >= needed) pack_ = &pack;
    }
  }
  if (pack_ == nullptr) {
    const auto at = static_cast<std::size_t>(begin.value);
    return pack.bytes().subspan(at, static_cast<std::size_t>(end_of_entries) - at);
  }
  return ByteView(buffer_).subspan(static_cast<std::size_t>(begin.value - begin_),
                                   static_cast<std::size_t>(end_ - begin.value));
}

}  // namespace assay
