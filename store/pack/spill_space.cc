#include "store/pack/spill_space.h"

#include <fcntl.h>
#include <fmt/format.h>

namespace assay {
namespace {

// git makes no deltas of larger ones by far; offsets in deltas have 32 bits.
constexpr std::uint64_t kLargest = std::uint64_t{4} << 30;

class SpillFile : public BufferBacking {
 public:
  SpillFile(os::System& system, std::uint8_t* address, std::uint64_t size)
      : system_(system), address_(address), size_(size) {}
  ~SpillFile() override { system_.unmap(address_, size_); }

  std::uint8_t* data() override { return address_; }
  void drop_pages() override { system_.drop_pages(address_, size_); }

 private:
  os::System& system_;
  std::uint8_t* address_;
  std::uint64_t size_;
};

}  // namespace

bool SpillSpace::take(std::uint64_t size) {
  std::uint64_t left = left_.load(std::memory_order_relaxed);
  do {
    if (size > kLargest || size > left) return false;
  } while (!left_.compare_exchange_weak(left, left - size, std::memory_order_relaxed));
  return true;
}

Result<BufferRef> SpillSpace::make(std::uint64_t size) {
  if (!take(size)) {
    return fault(MessageId::kObjectTooLarge,
                 fmt::format("not checked: it takes {} bytes, more than may be set aside for such "
                             "objects (see --memory)",
                             size));
  }
  const std::uint64_t mapped = size + Buffer::kSlack;
  const auto file =
      system_.open(os::kCurrentDirectory, directory_, O_TMPFILE | O_RDWR | O_EXCL, 0600);
  const auto address =
      file ? system_.map_new(file->get(), mapped) : tl::unexpected<os::Error>(file.error());
  if (!address) {
    return fault(MessageId::kObjectTooLarge,
                 fmt::format("not checked: no room for {} bytes in {}: {} (see --memory)", size,
                             directory_, address.error().text()));
  }
  return BufferPool::adopt(std::make_unique<SpillFile>(system_, *address, mapped),
                           static_cast<std::size_t>(size));
}

}  // namespace assay
