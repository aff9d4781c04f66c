// PackFile: a pack, mapped. Its header and trailer, and the headers of its entries. Format:
// gitformat-pack, "pack-*.pack files".
//
// Thread safety: const members may be used from any thread.
#pragma once

#include <optional>
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
  const std::uint8_t* base_id = nullptr;  // of a kRefDelta: raw, inside the pack
};

class PackFile {
 public:
  static constexpr std::size_t kHeaderSize = 12;

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

  const os::MappedFile& file() const { return file_; }

 private:
  PackFile(os::MappedFile file, std::string path, HashKind kind)
      : file_(std::move(file)), path_(std::move(path)), kind_(kind) {}

  os::MappedFile file_;
  std::string path_;
  HashKind kind_;
};

}  // namespace assay
