// MappedFile: a file mapped for reading that may be cut short while it is mapped.
//
// Touching a mapped page that no longer exists raises SIGBUS, which kills a process that does not
// expect it. Here the first mapping installs a handler that puts a page of zeros in the hole and
// notes the mapping as shrunk; the reader sees zeros, its checks fail, and `shrank()` says why.
// A SIGBUS outside any mapping goes to whoever handled it before.
//
// Thread safety: const members may be used from any thread. Linux allows a process about 65,000
// mappings; beyond that, files of up to 256 MiB are read into memory instead.
#pragma once

#include "store/os/system.h"

namespace assay::os {

class MappedFile {
 public:
  MappedFile() = default;
  // Maps all of an open regular file. An empty file gives an empty view.
  static OsResult<MappedFile> map(System& system, const FileDescriptor& fd);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Valid as long as this object lives.
  ByteView bytes() const { return {address_, static_cast<std::size_t>(size_)}; }
  // True when a page of the file was touched that had vanished or that the disk cannot read. What
  // vanished from the page in which the file now ends reads as zeros, too, but is not noticed.
  bool shrank() const;
  // Gives the pages back to the system; they are read again when touched (less memory resident).
  void drop_pages() const;

 private:
  void release();

  System* system_ = nullptr;
  const std::uint8_t* address_ = nullptr;
  std::uint64_t size_ = 0;
  int slot_ = -1;
  Bytes copy_;  // used instead of a mapping when no slot is free
};

}  // namespace assay::os
