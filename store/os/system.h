// The only calls into the operating system, behind an interface that tests can make fail.
//
// Every function either does what its POSIX namesake does or returns the error number. Paths are
// taken as given; nothing is expanded. Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "store/base/bytes.h"

namespace assay::os {

struct Error {
  int code = 0;  // errno
  std::string text() const;
};

template <typename T>
using OsResult = tl::expected<T, Error>;

// Owns an open file descriptor; closes it when destroyed.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

enum class FileKind : std::uint8_t { kRegular, kDirectory, kSymlink, kOther };

struct FileStatus {
  FileKind kind = FileKind::kOther;
  std::uint64_t size = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::uint32_t mode = 0;    // permission bits
  std::uint64_t blocks = 0;  // of 512 bytes, allocated
};

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::kOther;  // as the directory says; kOther also when it does not say
  bool kind_known = false;
};

constexpr int kCurrentDirectory = -100;  // AT_FDCWD

class System {
 public:
  virtual ~System() = default;
  static System& real();

  // `flags` as open(2); O_CLOEXEC is added. Relative paths start at `directory`.
  virtual OsResult<FileDescriptor> open(int directory, const std::string& path, int flags,
                                        unsigned mode = 0);
  virtual OsResult<FileStatus> status(int fd);
  virtual OsResult<FileStatus> status_at(int directory, const std::string& path, bool follow);
  // May return fewer bytes than asked; 0 is the end of the file. EINTR is retried inside.
  virtual OsResult<std::size_t> read(int fd, void* buffer, std::size_t size);
  virtual OsResult<std::size_t> read_at(int fd, void* buffer, std::size_t size,
                                        std::uint64_t offset);
  virtual OsResult<std::size_t> write(int fd, const void* buffer, std::size_t size);
  virtual OsResult<void> sync(int fd);
  // Starts and awaits writing the file's pages without flushing the device's cache.
  virtual OsResult<void> sync_data_range(int fd);
  // Names in no particular order, without "." and "..".
  virtual OsResult<std::vector<DirectoryEntry>> list(int directory, const std::string& path);
  virtual OsResult<std::string> read_link(int directory, const std::string& path);
  virtual OsResult<void> make_directory(int directory, const std::string& path, unsigned mode);
  virtual OsResult<void> remove(int directory, const std::string& path);
  virtual OsResult<void> rename(int from_directory, const std::string& from, int to_directory,
                                const std::string& to);
  virtual OsResult<void> link(int from_directory, const std::string& from, int to_directory,
                              const std::string& to);
  // Gives an open O_TMPFILE file a name. Fails with EEXIST when the name is taken.
  virtual OsResult<void> link_descriptor(int fd, int to_directory, const std::string& to);
  virtual OsResult<void> change_mode(int fd, unsigned mode);
  // Sets both times of the file to now.
  virtual OsResult<void> touch(int directory, const std::string& path);
  // Maps the whole file for reading, privately. Requires: size > 0.
  virtual OsResult<const std::uint8_t*> map(int fd, std::uint64_t size);
  virtual void unmap(const std::uint8_t* address, std::uint64_t size);
  // Allocates room for `size` bytes in an open file, so that touching them cannot fail, and maps it
  // for reading and writing, shared. Requires: size > 0. Undone by unmap().
  virtual OsResult<std::uint8_t*> map_new(int fd, std::uint64_t size);
  // Gives the pages of such a mapping back; they are read again when touched.
  virtual void drop_pages(const std::uint8_t* address, std::uint64_t size);
};

// Reads until the end of the file or until `limit` bytes; more than `limit` is EFBIG.
OsResult<Bytes> read_all(System& system, int fd, std::uint64_t limit);

// Opens a regular file without following a final symlink and without ever blocking on a FIFO,
// and reads it whole. Other kinds of file give ELOOP (symlink), EISDIR or EINVAL.
OsResult<Bytes> read_regular_file(System& system, int directory, const std::string& path,
                                  std::uint64_t limit);
OsResult<void> write_all(System& system, int fd, ByteView bytes);

// Returns: on how many processors this process may run, at least 1. A machine may have more.
unsigned usable_cpus();

}  // namespace assay::os
