#include "store/pack/pack_file.h"

#include <fcntl.h>
#include <fmt/format.h>

namespace assay {

Result<PackFile> PackFile::open(os::System& system, const std::string& path, HashKind kind,
                                const std::string& shown_path) {
  const auto bad = [&](std::string text) { return fault(MessageId::kPackBad, std::move(text)); };
  auto fd = system.open(os::kCurrentDirectory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd)
    return bad(fmt::format("packfile {} cannot be accessed: {}", shown_path, fd.error().text()));
  auto file = os::MappedFile::map(system, *fd);
  if (!file) {
    return bad(fmt::format("packfile {} cannot be accessed: {}", shown_path, file.error().text()));
  }
  const ByteView bytes = file->bytes();
  if (bytes.size() < kHeaderSize + id_size(kind)) {
    return bad(fmt::format("file {} is far too short to be a packfile", shown_path));
  }
  if (std::memcmp(bytes.data(), "PACK", 4) != 0) {
    return bad(fmt::format("file {} is not a GIT packfile", shown_path));
  }
  const std::uint32_t version = read_be32(bytes.data() + 4);
  if (version != 2 && version != 3) {
    return bad(fmt::format(
        "packfile {} is version {} and not supported (try upgrading GIT to a newer version)",
        shown_path, version));
  }
  return PackFile(std::move(*file), shown_path, kind);
}

Result<EntryHeader> PackFile::entry_header(PackOffset offset) const {
  const auto bad = [&](std::string text) {
    return fault(MessageId::kEntryHeaderBad, std::move(text), offset.value);
  };
  const std::uint64_t end = end_of_entries();
  if (offset.value < kHeaderSize || offset.value >= end) {
    return bad(fmt::format("offset {} is outside the entries of {}", offset.value, path_));
  }
  const std::uint8_t* const pack = bytes().data();
  std::uint64_t at = offset.value;
  std::uint8_t byte = pack[at++];
  const unsigned kind = (byte >> 4) & 7;
  EntryHeader header;
  header.inflated_size = byte & 15;
  for (unsigned shift = 4; (byte & 0x80) != 0; shift += 7) {
    if (at >= end || shift > 60) return bad("bad object header");
    byte = pack[at++];
    const std::uint64_t group = byte & 0x7f;
    if ((group << shift) >> shift != group) return bad("bad object header");
    header.inflated_size |= group << shift;
  }
  if (kind == 0 || kind == 5) {
    return bad(fmt::format("unknown object type {} at offset {} in {}", kind, offset.value, path_));
  }
  header.kind = static_cast<EntryKind>(kind);
  const auto bad_base = [&] {
    return fault(MessageId::kDeltaBaseBad,
                 fmt::format("failed to validate delta base reference at offset {} from {}",
                             offset.value, path_),
                 offset.value);
  };
  if (header.kind == EntryKind::kOffsetDelta) {
    // Distances are big-endian groups of seven bits, each further group adds one.
    if (at >= end) return bad_base();
    byte = pack[at++];
    std::uint64_t distance = byte & 0x7f;
    while ((byte & 0x80) != 0) {
      if (at >= end || distance >= (std::uint64_t{1} << 56)) return bad_base();
      byte = pack[at++];
      distance = ((distance + 1) << 7) | (byte & 0x7f);
    }
    if (distance == 0 || distance >= offset.value) return bad_base();
    header.base_offset = {offset.value - distance};
  } else if (header.kind == EntryKind::kRefDelta) {
    if (end - at < id_size(kind_)) return bad_base();
    header.base_id = pack + at;
    at += id_size(kind_);
  }
  header.header_size = static_cast<std::uint32_t>(at - offset.value);
  return header;
}

}  // namespace assay
