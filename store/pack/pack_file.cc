#include "store/pack/pack_file.h"

#include <fcntl.h>
#include <fmt/format.h>

namespace assay {
namespace {

// Packs are kept open as long as few files are: the limit of a process may be 256, and a repository
// can have any number of packs.
constexpr int kKeptOpenBelow = 128;

}  // namespace

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
  if (fd->get() >= kKeptOpenBelow) *fd = os::FileDescriptor();
  return PackFile(system, std::move(*fd), std::move(*file), shown_path, kind);
}

std::size_t PackFile::read_at(std::uint64_t offset, std::uint8_t* to, std::size_t size) const {
  if (!descriptor_.is_open()) return 0;
  std::size_t filled = 0;
  while (filled != size) {
    const auto read =
        system_->read_at(descriptor_.get(), to + filled, size - filled, offset + filled);
    if (!read || *read == 0) break;
    filled += *read;
  }
  return filled;
}

Result<EntryHeader> PackFile::entry_header(PackOffset offset) const {
  if (offset.value < kHeaderSize || offset.value >= end_of_entries()) {
    return fault(MessageId::kEntryHeaderBad,
                 fmt::format("offset {} is outside the entries of {}", offset.value, path_),
                 offset.value);
  }
  const auto begin = static_cast<std::size_t>(offset.value);
  const auto end = static_cast<std::size_t>(end_of_entries());
  return entry_header(offset, bytes().subspan(begin, end - begin));
}

Result<EntryHeader> PackFile::entry_header(PackOffset offset, ByteView bytes) const {
  const auto bad = [&](std::string text) {
    return fault(MessageId::kEntryHeaderBad, std::move(text), offset.value);
  };
  const std::size_t end = bytes.size();
  std::size_t at = 0;
  if (at >= end) return bad("bad object header");
  std::uint8_t byte = bytes[at++];
  const unsigned kind = (byte >> 4) & 7;
  EntryHeader header;
  header.inflated_size = byte & 15;
  for (unsigned shift = 4; (byte & 0x80) != 0; shift += 7) {
    if (at >= end || shift > 60) return bad("bad object header");
    byte = bytes[at++];
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
    byte = bytes[at++];
    std::uint64_t distance = byte & 0x7f;
    while ((byte & 0x80) != 0) {
      if (at >= end || distance >= (std::uint64_t{1} << 56)) return bad_base();
      byte = bytes[at++];
      distance = ((distance + 1) << 7) | (byte & 0x7f);
    }
    if (distance == 0 || distance >= offset.value) return bad_base();
    header.base_offset = {offset.value - distance};
  } else if (header.kind == EntryKind::kRefDelta) {
    if (end - at < id_size(kind_)) return bad_base();
    header.base_id = bytes.data() + at;
    at += id_size(kind_);
  }
  header.header_size = static_cast<std::uint32_t>(at);
  return header;
}

}  // namespace assay
