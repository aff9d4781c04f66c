#include "store/index/index_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/base/byte_reader.h"
#include "store/object/object_hash.h"

namespace assay {
namespace {

constexpr std::uint32_t kSignature = 0x44495243;  // "DIRC"
constexpr std::size_t kHeaderSize = 12;           // signature, version, number of entries
constexpr std::size_t kStatSize = 40;             // times, device, inode, mode, uid, gid, size
constexpr std::size_t kModeOffset = 24;
constexpr std::uint16_t kAssumeValid = 0x8000;
constexpr std::uint16_t kExtended = 0x4000;
constexpr std::uint16_t kNameMask = 0x0fff;  // the size of the path, or this if it is longer
constexpr std::uint16_t kSkipWorktree = 0x4000;
constexpr std::uint16_t kIntentToAdd = 0x2000;
// A version 4 index can spell very long paths in few bytes. Real ones need less than twice the
// size of the file for all paths together; more than this is an attack.
constexpr std::uint64_t kMaxPathBytesPerByte = 16;
constexpr std::uint64_t kMinPathBudget = std::uint64_t{16} << 20;

tl::unexpected<Fault> bad(std::string text, std::uint64_t offset = Fault::kNoOffset) {
  return fault(MessageId::kIndexFileBad, std::move(text), offset);
}

// git prints the cause, then dies of this.
tl::unexpected<Fault> corrupt(std::string cause, std::uint64_t offset = Fault::kNoOffset) {
  Fault why(MessageId::kIndexFileBad, "index file corrupt", offset);
  why.causes.push_back(std::move(cause));
  return tl::unexpected<Fault>(std::move(why));
}

class Parser {
 public:
  Parser(ByteView bytes, HashKind kind) : bytes_(bytes), kind_(kind), reader_({}) {}

  Result<IndexFile> parse();

 private:
  Result<void> header();
  Result<void> entry();
  Result<std::string> path(std::uint16_t flags, std::size_t entry_start);
  std::optional<std::string> compressed_path();
  Result<void> extension();
  Result<void> link(ByteView data, std::uint64_t offset);

  ByteView bytes_;
  HashKind kind_;
  ByteReader reader_;  // over everything but the trailer
  IndexFile index_;
  std::uint32_t entry_count_ = 0;
  std::uint64_t path_budget_ = 0;
};

Result<IndexFile> Parser::parse() {
  auto done = header();
  if (!done) return tl::unexpected<Fault>(std::move(done.error()));
  for (std::uint32_t i = 0; i < entry_count_; ++i) {
    done = entry();
    if (!done) return tl::unexpected<Fault>(std::move(done.error()));
  }
  // Fewer than 8 bytes cannot be an extension; git leaves them alone.
  while (reader_.remaining() >= 8) {
    done = extension();
    if (!done) return tl::unexpected<Fault>(std::move(done.error()));
  }
  return std::move(index_);
}

Result<void> Parser::header() {
  const std::size_t trailer_size = id_size(kind_);
  if (bytes_.size() < kHeaderSize + trailer_size) return bad("index file smaller than expected");
  const ByteView content = bytes_.first(bytes_.size() - trailer_size);
  reader_ = ByteReader(content);
  const std::uint32_t signature = *reader_.be32();
  if (signature != kSignature) {
    // git prints the bytes in the order of a little-endian machine.
    return corrupt(fmt::format("bad signature 0x{:08x}", __builtin_bswap32(signature)), 0);
  }
  index_.version = *reader_.be32();
  if (index_.version < 2 || index_.version > 4) {
    return corrupt(fmt::format("bad index version {}", static_cast<std::int32_t>(index_.version)),
                   4);
  }
  entry_count_ = *reader_.be32();
  index_.checksum = ObjectId::from_raw(bytes_.data() + content.size(), kind_);
  if (!index_.checksum.is_null()) {
    ObjectHasher hasher(kind_, false);
    hasher.update(content);
    if (hasher.finish().id != index_.checksum) {
      return corrupt("bad index file sha1 signature", content.size());
    }
  }
  const std::size_t min_entry_size = kStatSize + trailer_size + 3;
  if (entry_count_ > reader_.remaining() / min_entry_size) {
    return corrupt(fmt::format("file is too small for {} entries", entry_count_), 8);
  }
  index_.entries.reserve(entry_count_);
  path_budget_ = std::max(kMinPathBudget, kMaxPathBytesPerByte * bytes_.size());
  return {};
}

Result<void> Parser::entry() {
  const std::size_t start = reader_.offset();
  const auto cut = [&] {
    return corrupt(fmt::format("entry {} runs past the end", index_.entries.size()), start);
  };
  const auto fixed = reader_.take(kStatSize + id_size(kind_));
  const auto flags = reader_.be16();
  if (!fixed || !flags) return cut();
  IndexEntry entry;
  entry.mode = read_be32(fixed->data() + kModeOffset);
  entry.id = ObjectId::from_raw(fixed->data() + kStatSize, kind_);
  entry.assume_valid = (*flags & kAssumeValid) != 0;
  entry.stage = static_cast<std::uint8_t>(*flags >> 12 & 3);
  if ((*flags & kExtended) != 0) {
    const auto more = reader_.be16();
    if (!more) return cut();
    if ((*more & ~(kSkipWorktree | kIntentToAdd)) != 0) {
      return bad(fmt::format("unknown index entry format 0x{:08x}", std::uint32_t{*more} << 16),
                 start);
    }
    entry.skip_worktree = (*more & kSkipWorktree) != 0;
    entry.intent_to_add = (*more & kIntentToAdd) != 0;
  }
  auto path_text = path(*flags, start);
  if (!path_text) return tl::unexpected<Fault>(std::move(path_text.error()));
  entry.path = std::move(*path_text);
  if (entry.path.size() > path_budget_) return corrupt("paths are too long together", start);
  path_budget_ -= entry.path.size();
  index_.entries.push_back(std::move(entry));
  return {};
}

Result<std::string> Parser::path(std::uint16_t flags, std::size_t entry_start) {
  const std::uint16_t told_size = flags & kNameMask;
  const std::size_t start = reader_.offset();
  const auto malformed = [&] {
    const std::string near = index_.entries.empty() ? "" : index_.entries.back().path;
    return bad(fmt::format("malformed name field in the index, near path '{}'", near), start);
  };
  if (index_.version == 4) {
    auto text = compressed_path();
    if (!text) return malformed();
    if (told_size != std::min<std::size_t>(text->size(), kNameMask)) return malformed();
    return std::move(*text);
  }
  const auto text = told_size < kNameMask ? reader_.take(told_size) : reader_.take_until(0);
  if (!text) return malformed();
  // Entries are padded with 1 to 8 NUL bytes to a multiple of 8.
  const std::size_t size = start + text->size() - entry_start;
  const std::size_t taken = told_size < kNameMask ? 0 : 1;
  const auto padding = reader_.take(8 - size % 8 - taken);
  if (!padding) return malformed();
  // git goes by the size that the entry tells, and takes the path for a C string.
  const std::string_view path = as_text(*text).substr(0, as_text(*text).find('\0'));
  if (path.size() != text->size() || (taken == 0 && padding->front() != 0)) {
    index_.problems.emplace_back(MessageId::kIndexEntryBad,
                                 fmt::format("entry '{}' tells a wrong size of its name", path),
                                 start);
  }
  return std::string(path);
}

// Version 4: how many bytes to drop from the end of the path before, then what to append.
std::optional<std::string> Parser::compressed_path() {
  std::uint64_t dropped = 0;
  for (bool first = true;; first = false) {
    const auto byte = reader_.u8();
    if (!byte || dropped >= UINT64_MAX >> 8) return std::nullopt;
    if (!first) ++dropped;  // longer numbers begin where shorter ones end
    dropped = dropped << 7 | (*byte & 127);
    if ((*byte & 128) == 0) break;
  }
  const auto suffix = reader_.take_until(0);
  if (!suffix) return std::nullopt;
  std::string text;
  if (!index_.entries.empty()) {
    const std::string& before = index_.entries.back().path;
    if (dropped > before.size()) return std::nullopt;
    text = before.substr(0, before.size() - static_cast<std::size_t>(dropped));
  }
  text += as_text(*suffix);
  return text;
}

Result<void> Parser::extension() {
  const std::size_t start = reader_.offset();
  const std::string name(as_text(*reader_.take(4)));
  const std::uint32_t size = *reader_.be32();
  const auto data = reader_.take(size);
  if (!data) return corrupt(fmt::format("extension '{}' runs past the end", name), start);
  const auto problem = [&](const char* text) {
    index_.problems.emplace_back(MessageId::kIndexExtensionBad, text, start);
  };
  if (name == "TREE") {
    index_.cache_tree = parse_cache_tree(*data, kind_);
    if (!index_.cache_tree) problem("Index records an invalid cache tree");
  } else if (name == "REUC") {
    auto entries = parse_resolve_undo(*data, kind_);
    if (entries) {
      index_.resolve_undo = std::move(*entries);
    } else {
      problem("Index records invalid resolve-undo information");
    }
  } else if (name == "link") {
    return link(*data, start);
  } else if (name == "sdir") {
    index_.is_sparse = true;
  } else if (name[0] < 'A' || name[0] > 'Z') {
    return corrupt(fmt::format("index uses {} extension, which we do not understand", name), start);
  }
  return {};
}

Result<void> Parser::link(ByteView data, std::uint64_t offset) {
  ByteReader reader(data);
  const auto base = reader.take(id_size(kind_));
  if (!base) return corrupt("corrupt link extension (too short)", offset);
  SplitIndexLink link;
  link.base = ObjectId::from_raw(base->data(), kind_);
  if (!reader.at_end()) {
    auto deleted = EwahBitmap::parse(reader);
    if (!deleted) return corrupt("corrupt delete bitmap in link extension", offset);
    auto replaced = EwahBitmap::parse(reader);
    if (!replaced) return corrupt("corrupt replace bitmap in link extension", offset);
    if (!reader.at_end()) return corrupt("garbage at the end of link extension", offset);
    link.deleted = std::move(*deleted);
    link.replaced = std::move(*replaced);
  }
  index_.link = std::move(link);
  return {};
}

}  // namespace

Result<IndexFile> parse_index_file(ByteView bytes, HashKind kind) {
  return Parser(bytes, kind).parse();
}

std::optional<Fault> check_index_order(const std::vector<IndexEntry>& entries) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const IndexEntry& entry = entries[i - 1];
    const IndexEntry& next = entries[i];
    const int order = entry.path.compare(next.path);
    if (order > 0) return Fault(MessageId::kIndexFileBad, "unordered stage entries in index");
    if (order < 0) continue;
    if (entry.stage == 0) {
      return Fault(MessageId::kIndexFileBad,
                   fmt::format("multiple stage entries for merged file '{}'", entry.path));
    }
    if (entry.stage > next.stage) {
      return Fault(MessageId::kIndexFileBad,
                   fmt::format("unordered stage entries for '{}'", entry.path));
    }
  }
  return std::nullopt;
}

}  // namespace assay
