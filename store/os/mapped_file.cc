#include "store/os/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <new>

namespace assay::os {
namespace {

// What the signal handler reads: lock-free, never freed. A slot is claimed by setting `begin`.
struct Slot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> shrank{false};
  std::atomic<std::uint32_t> holes{0};
};

constexpr std::size_t kSlots = 65536;
constexpr std::uintptr_t kReserved = 1;
// A file may have a few pages that cannot be read (a bad disk): those are filled one by one. One
// with more of them was cut short: all that comes behind is filled at once, because Linux allows a
// process only 65,530 mappings and every page filled here and there is one more.
constexpr std::uint32_t kMostSingleHoles = 1024;
// Largest file that is read into memory when it cannot be mapped.
constexpr std::uint64_t kLargestCopy = std::uint64_t{256} << 20;

// The one mutable global of the store: a signal handler has no other way to find its data.
std::array<Slot, kSlots> g_slots;
std::atomic<std::size_t> g_used_slots{0};
struct sigaction g_previous;
std::uintptr_t g_page_size = 4096;

// Puts pages of zeros there. Returns: whether it worked.
bool fill_hole(std::uintptr_t start, std::size_t size) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
#if defined(__x86_64__) || defined(__aarch64__)
  // The bare system call: another thread may fill the same page or read its zeros at the same time,
  // which a sanitizer's mmap() takes for a race.
  return ::syscall(SYS_mmap, start, size, PROT_READ, kFlags, -1, 0L) == static_cast<long>(start);
#else
  void* page = reinterpret_cast<void*>(start);
  return ::mmap(page, size, PROT_READ, kFlags, -1, 0) == page;
#endif
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::size_t used = g_used_slots.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    Slot& slot = g_slots[i];
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin <= kReserved || address < begin ||
        address >= slot.end.load(std::memory_order_acquire)) {
      continue;
    }
    slot.shrank.store(true, std::memory_order_release);
    const std::uintptr_t start = address & ~(g_page_size - 1);
    const bool single = slot.holes.fetch_add(1) < kMostSingleHoles;
    const bool filled = fill_hole(start, single ? g_page_size : slot.end.load() - start);
    errno = saved_errno;
    if (filled) return;
    break;
  }
  if ((g_previous.sa_flags & SA_SIGINFO) != 0 && g_previous.sa_sigaction != nullptr) {
    g_previous.sa_sigaction(signal, info, context);
    return;
  }
  if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN &&
      g_previous.sa_handler != nullptr) {
    g_previous.sa_handler(signal);
    return;
  }
  // Nobody else wants it: die of it, as if there were no handler.
  ::signal(SIGBUS, SIG_DFL);
  ::raise(SIGBUS);
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    g_page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &g_previous);
  });
}

int claim_slot() {
  for (std::size_t i = 0; i < kSlots; ++i) {
    std::uintptr_t expected = 0;
    if (!g_slots[i].begin.compare_exchange_strong(expected, kReserved)) continue;
    g_slots[i].shrank.store(false);
    g_slots[i].holes.store(0);
    std::size_t used = g_used_slots.load();
    while (used < i + 1 && !g_used_slots.compare_exchange_weak(used, i + 1)) {
    }
    return static_cast<int>(i);
  }
  return -1;
}

OsResult<Bytes> read_copy(System& system, int fd, std::uint64_t size) {
  if (size > kLargestCopy) return tl::unexpected<Error>(Error{ENOMEM});
  try {
    return read_all(system, fd, size);
  } catch (const std::bad_alloc&) {
    return tl::unexpected<Error>(Error{ENOMEM});
  }
}

}  // namespace

OsResult<MappedFile> MappedFile::map(System& system, const FileDescriptor& fd) {
  const auto status = system.status(fd.get());
  if (!status) return tl::unexpected<Error>(status.error());
  if (status->kind != FileKind::kRegular) return tl::unexpected<Error>(Error{EINVAL});
  MappedFile file;
  file.system_ = &system;
  file.size_ = status->size;
  if (status->size == 0) return file;
  install_handler();
  file.slot_ = claim_slot();
  auto address = file.slot_ < 0
                     ? OsResult<const std::uint8_t*>(tl::unexpected<Error>(Error{ENOMEM}))
                     : system.map(fd.get(), status->size);
  if (!address) {
    if (file.slot_ >= 0) g_slots[static_cast<std::size_t>(file.slot_)].begin.store(0);
    file.slot_ = -1;
    if (address.error().code != ENOMEM) return tl::unexpected<Error>(address.error());
    auto bytes = read_copy(system, fd.get(), status->size);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    file.copy_ = std::move(*bytes);
    file.address_ = file.copy_.data();
    file.size_ = file.copy_.size();
    return file;
  }
  file.address_ = *address;
  Slot& slot = g_slots[static_cast<std::size_t>(file.slot_)];
  const auto begin = reinterpret_cast<std::uintptr_t>(*address);
  slot.end.store(begin + static_cast<std::uintptr_t>(status->size), std::memory_order_release);
  slot.begin.store(begin, std::memory_order_release);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  release();
  system_ = other.system_;
  address_ = std::exchange(other.address_, nullptr);
  size_ = std::exchange(other.size_, 0);
  slot_ = std::exchange(other.slot_, -1);
  copy_ = std::move(other.copy_);
  return *this;
}

MappedFile::~MappedFile() { release(); }

void MappedFile::release() {
  if (slot_ >= 0) {
    Slot& slot = g_slots[static_cast<std::size_t>(slot_)];
    slot.begin.store(kReserved);
    system_->unmap(address_, size_);
    slot.begin.store(0);
  }
  slot_ = -1;
  address_ = nullptr;
  size_ = 0;
}

bool MappedFile::shrank() const {
  return slot_ >= 0 && g_slots[static_cast<std::size_t>(slot_)].shrank.load();
}

void MappedFile::drop_pages() const {
  // A page of zeros put in a hole is anonymous memory: dropping it would keep it zero, so nothing
  // that was noted is lost. Errors do not matter: this only saves memory.
  if (slot_ >= 0) {
    ::madvise(const_cast<std::uint8_t*>(address_), static_cast<std::size_t>(size_), MADV_DONTNEED);
  }
}

}  // namespace assay::os
