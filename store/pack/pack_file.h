// PackFile: a pack, mapped and open. Its header and trailer, and the headers of its entries.
// Format: gitformat-pack, "pack-*.pack files".
//
// Thread safety: const members may be used from any thread.
#pragma once

#include <string>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/base/positions.h"
#include "store/os/mapped_file.h"
#include "store/report/fault.h"

namespace assay {

enum class EntryKind : std::uint8_t {
  kCommit = 1,
  kTree = 2,
  kBlob = 3,
  kTag = 4,
  kOffsetDelta = 6,
  kRefDelta = 7,
};

constexpr bool is_delta(EntryKind kind) { return kind >= EntryKind::kOffsetDelta; }

struct EntryHeader {
  EntryKind kind = EntryKind::kBlob;
  std::uint64_t inflated_size = 0;        // of the object, or of the delta
  std::uint32_t header_size = 0;          // bytes before the zlib stream
  PackOffset base_offset;                 // of a kOffsetDelta
  const std::uint8_t* base_id = nullptr;  // of a kRefDelta: raw, inside what was parsed
};

class PackFile {
 public:
  static constexpr std::size_t kHeaderSize = 12;
  // Bytes that the header of an entry takes at most.
  static constexpr std::size_t kMaxEntryHeaderSize = 64;

  // Opens and maps the pack. `path` may be a symbolic link to a regular file: shared checkouts
  // rely on it. Messages call it `shown_path`.
  static Result<PackFile> open(os::System& system, const std::string& path, HashKind kind,
                               const std::string& shown_path);

  // As messages show it.
  const std::string& path() const { return path_; }
  HashKind kind() const { return kind_; }
  std::uint32_t declared_count() const { return read_be32(bytes().data() + 8); }
  ByteView bytes() const { return file_.bytes(); }
  // Where entries end and the trailer begins.
  std::uint64_t end_of_entries() const { return bytes().size() - id_size(kind_); }
  ByteView trailer() const { return bytes().last(id_size(kind_)); }

  // Parses the header of the entry at `offset`, which may be any number.
  Result<EntryHeader> entry_header(PackOffset offset) const;
  // As above, from a copy of the pack's bytes from `offset` on: kMaxEntryHeaderSize or more, or all
  // up to the end of the entries.
  Result<EntryHeader> entry_header(PackOffset offset, ByteView bytes) const;

  // Reads from the file itself, past the mapping. Returns: the number of bytes read; fewer than
  // asked for where the file ends, cannot be read, or is not kept open because too many are.
  std::size_t read_at(std::uint64_t offset, std::uint8_t* to, std::size_t size) const;

  const os::MappedFile& file() const { return file_; }

 private:
  PackFile(os::System& system, os::FileDescriptor descriptor, os::MappedFile file, std::string path,
           HashKind kind)
      : system_(&system),
        descriptor_(std::move(descriptor)),
        file_(std::move(file)),
        path_(std::move(path)),
        kind_(kind) {}

  os::System* system_;
  os::FileDescriptor descriptor_;  // none where too many files are open
  os::MappedFile file_;
  std::string path_;
  HashKind kind_;
};

}  // namespace assay
