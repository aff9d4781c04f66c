#include "store/os/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

namespace assay::os {
namespace {

static_assert(kCurrentDirectory == AT_FDCWD);

tl::unexpected<Error> last_error() { return tl::unexpected<Error>(Error{errno}); }

OsResult<void> done(int result) {
  if (result != 0) return last_error();
  return {};
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kSymlink;
  return FileKind::kOther;
}

FileStatus to_status(const struct stat& raw) {
  FileStatus status;
  status.kind = kind_of(raw.st_mode);
  status.size = static_cast<std::uint64_t>(raw.st_size);
  status.device = raw.st_dev;
  status.inode = raw.st_ino;
  status.modified_ns = raw.st_mtim.tv_sec * 1'000'000'000LL + raw.st_mtim.tv_nsec;
  status.mode = raw.st_mode & 07777;
  status.blocks = static_cast<std::uint64_t>(raw.st_blocks);
  return status;
}

template <typename Call>
OsResult<std::size_t> transferred(Call call) {
  for (;;) {
    const ssize_t size = call();
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno != EINTR) return last_error();
  }
}

}  // namespace

std::string Error::text() const { return std::generic_category().message(code); }

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

System& System::real() {
  static System system;
  return system;
}

OsResult<FileDescriptor> System::open(int directory, const std::string& path, int flags,
                                      unsigned mode) {
  for (;;) {
    const int fd = ::openat(directory, path.c_str(), flags | O_CLOEXEC, mode);
    if (fd >= 0) return FileDescriptor(fd);
    if (errno != EINTR) return last_error();
  }
}

OsResult<FileStatus> System::status(int fd) {
  struct stat raw;
  if (::fstat(fd, &raw) != 0) return last_error();
  return to_status(raw);
}

OsResult<FileStatus> System::status_at(int directory, const std::string& path, bool follow) {
  struct stat raw;
  if (::fstatat(directory, path.c_str(), &raw, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
    return last_error();
  }
  return to_status(raw);
}

OsResult<std::size_t> System::read(int fd, void* buffer, std::size_t size) {
  return transferred([&] { return ::read(fd, buffer, size); });
}

OsResult<std::size_t> System::read_at(int fd, void* buffer, std::size_t size,
                                      std::uint64_t offset) {
  return transferred([&] { return ::pread(fd, buffer, size, static_cast<off_t>(offset)); });
}

OsResult<std::size_t> System::write(int fd, const void* buffer, std::size_t size) {
  return transferred([&] { return ::write(fd, buffer, size); });
}

OsResult<void> System::sync(int fd) { return done(::fsync(fd)); }

OsResult<void> System::sync_data_range(int fd) {
  return done(::sync_file_range(
      fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
}

OsResult<std::vector<DirectoryEntry>> System::list(int directory, const std::string& path) {
  const int fd = ::openat(directory, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return last_error();
  DIR* stream = ::fdopendir(fd);
  if (stream == nullptr) {
    const auto error = last_error();
    ::close(fd);
    return error;
  }
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* raw = ::readdir(stream);
    if (raw == nullptr) break;
    const std::string_view name = raw->d_name;
    if (name == "." || name == "..") continue;
    DirectoryEntry entry;
    entry.name = name;
    entry.kind_known = raw->d_type != DT_UNKNOWN;
    if (raw->d_type == DT_REG) entry.kind = FileKind::kRegular;
    if (raw->d_type == DT_DIR) entry.kind = FileKind::kDirectory;
    if (raw->d_type == DT_LNK) entry.kind = FileKind::kSymlink;
    entries.push_back(std::move(entry));
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return tl::unexpected<Error>(Error{error});
  return entries;
}

OsResult<std::string> System::read_link(int directory, const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t size = ::readlinkat(directory, path.c_str(), target.data(), target.size());
  if (size < 0) return last_error();
  target.resize(static_cast<std::size_t>(size));
  return target;
}

OsResult<void> System::make_directory(int directory, const std::string& path, unsigned mode) {
  return done(::mkdirat(directory, path.c_str(), mode));
}

OsResult<void> System::remove(int directory, const std::string& path) {
  return done(::unlinkat(directory, path.c_str(), 0));
}

OsResult<void> System::rename(int from_directory, const std::string& from, int to_directory,
                              const std::string& to) {
  return done(::renameat(from_directory, from.c_str(), to_directory, to.c_str()));
}

OsResult<void> System::link(int from_directory, const std::string& from, int to_directory,
                            const std::string& to) {
  return done(::linkat(from_directory, from.c_str(), to_directory, to.c_str(), 0));
}

OsResult<void> System::link_descriptor(int fd, int to_directory, const std::string& to) {
  // AT_EMPTY_PATH would need a capability; the name under /proc needs none (open(2), O_TMPFILE).
  const std::string from = "/proc/self/fd/" + std::to_string(fd);
  return done(::linkat(AT_FDCWD, from.c_str(), to_directory, to.c_str(), AT_SYMLINK_FOLLOW));
}

OsResult<void> System::change_mode(int fd, unsigned mode) { return done(::fchmod(fd, mode)); }

OsResult<void> System::touch(int directory, const std::string& path) {
  return done(::utimensat(directory, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW));
}

OsResult<const std::uint8_t*> System::map(int fd, std::uint64_t size) {
  void* address = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) return last_error();
  return static_cast<const std::uint8_t*>(address);
}

void System::unmap(const std::uint8_t* address, std::uint64_t size) {
  ::munmap(const_cast<std::uint8_t*>(address), static_cast<std::size_t>(size));
}

OsResult<std::uint8_t*> System::map_new(int fd, std::uint64_t size) {
  const int code = ::posix_fallocate(fd, 0, static_cast<off_t>(size));
  if (code != 0) return tl::unexpected<Error>(Error{code});
  void* address =
      ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) return last_error();
  return static_cast<std::uint8_t*>(address);
}

void System::drop_pages(const std::uint8_t* address, std::uint64_t size) {
  // Errors do not matter: this only saves memory.
  ::madvise(const_cast<std::uint8_t*>(address), static_cast<std::size_t>(size), MADV_DONTNEED);
}

OsResult<Bytes> read_all(System& system, int fd, std::uint64_t limit) {
  Bytes bytes;
  std::size_t filled = 0;
  const auto status = system.status(fd);
  const std::uint64_t expected = status ? status->size : 0;
  bytes.resize(static_cast<std::size_t>(std::min(expected, limit)) + 1);
  for (;;) {
    if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    const auto size = system.read(fd, bytes.data() + filled, bytes.size() - filled);
    if (!size) return tl::unexpected<Error>(size.error());
    if (*size == 0) break;
    filled += *size;
    if (filled > limit) return tl::unexpected<Error>(Error{EFBIG});
  }
  bytes.resize(filled);
  return bytes;
}

OsResult<Bytes> read_regular_file(System& system, int directory, const std::string& path,
                                  std::uint64_t limit) {
  auto fd = system.open(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!fd) return tl::unexpected<Error>(fd.error());
  const auto status = system.status(fd->get());
  if (!status) return tl::unexpected<Error>(status.error());
  if (status->kind == FileKind::kDirectory) return tl::unexpected<Error>(Error{EISDIR});
  if (status->kind != FileKind::kRegular) return tl::unexpected<Error>(Error{EINVAL});
  return read_all(system, fd->get(), limit);
}

OsResult<void> write_all(System& system, int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const auto size = system.write(fd, bytes.data(), bytes.size());
    if (!size) return tl::unexpected<Error>(size.error());
    if (*size == 0) return tl::unexpected<Error>(Error{EIO});
    bytes = bytes.subspan(*size);
  }
  return {};
}

unsigned usable_cpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace assay::os
