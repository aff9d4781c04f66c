#include "store/refs/reftable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "store/codec/crc32.h"
#include "store/refs/reftable_block.h"

namespace assay {
namespace {

constexpr std::size_t kFooterRest = 44;        // of the footer, behind its copy of the header
constexpr std::uint32_t kSha1 = 0x73686131;    // "sha1"
constexpr std::uint32_t kSha256 = 0x73323536;  // "s256"
// Prefixes make names out of nothing: so many times the size of the file is more than git writes.
constexpr std::uint64_t kMostKeyBytes = 64;

// The sections in the order of the file.
enum class Section : std::uint8_t { kRefs, kRefIndex, kObjects, kObjectIndex, kLogs, kLogIndex };

bool is_index(Section section) { return static_cast<unsigned>(section) % 2 == 1; }

class ReftableReader {
 public:
  ReftableReader(ByteView bytes, HashKind kind,
                 const std::function<void(const ReftableLog&)>& on_log)
      : bytes_(bytes), kind_(kind), on_log_(on_log) {}

  Reftable read();

 private:
  struct Block {
    Section section{};
    std::string last_key;
    bool indexed = false;  // an index names it
  };
  struct ObjectRecord {
    std::vector<std::uint64_t> blocks;  // ascending
    bool everywhere = false;            // too many to be listed
  };

  Result<void> read_frame();
  Result<void> read_blocks();
  Result<Section> section_of(std::uint8_t type, std::uint64_t offset) const;
  Result<void> read_block(ReftableBlock& block, Section section);
  Result<void> read_value(ReftableBlock& block, Section section);
  Result<void> read_ref(ReftableBlock& block);
  Result<void> read_object(ReftableBlock& block);
  Result<void> read_log(ReftableBlock& block);
  Result<void> read_index(ReftableBlock& block, Section section);
  std::optional<ObjectId> read_id(ByteReader& reader) const;
  Result<void> check_positions();
  Result<void> check_index(Section leaves, std::uint64_t index_position);
  void check_objects();
  void doubt(std::string text, std::uint64_t offset) {
    constexpr std::size_t kMost = 20;
    if (table_.doubts.size() < kMost) {
      table_.doubts.emplace_back(MessageId::kReftableDoubtful, std::move(text), offset);
    }
  }
  static tl::unexpected<Fault> bad(std::string text, std::uint64_t offset) {
    return fault(MessageId::kReftableBad, std::move(text), offset);
  }
  static tl::unexpected<Fault> bad_record(const ReftableBlock& block, std::string_view what) {
    return bad(fmt::format("block at {}: {}", block.offset(), what), block.record_offset());
  }

  ByteView bytes_;
  HashKind kind_;
  const std::function<void(const ReftableLog&)>& on_log_;
  Reftable table_;
  std::size_t header_size_ = 0;
  std::uint32_t block_size_ = 0;
  ByteView blocks_bytes_;  // all before the footer
  std::uint64_t ref_index_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t object_index_ = 0;
  std::uint64_t logs_ = 0;
  std::uint64_t log_index_ = 0;
  std::size_t abbreviation_ = 0;  // bytes of the keys of object blocks

  std::map<std::uint64_t, Block> blocks_;  // by offset
  std::optional<Section> section_;         // of the last block
  std::string last_key_;                   // of the last block, if of this section
  std::uint64_t key_bytes_ = 0;
  std::vector<std::uint64_t> ref_blocks_;  // beside table_.refs
  std::map<std::string, ObjectRecord> object_records_;
};

Reftable ReftableReader::read() {
  const auto keep = [this](const Result<void>& result) {
    if (!result) table_.fault = result.error();
    return result.has_value();
  };
  if (keep(read_frame()) && keep(read_blocks()) && keep(check_positions())) check_objects();
  return std::move(table_);
}

Result<void> ReftableReader::read_frame() {
  ByteReader header(bytes_);
  const auto magic = header.take(4);
  const auto version = header.u8();
  if (!magic || as_text(*magic) != "REFT") return bad("is no reftable: bad magic", 0);
  if (!version || (*version != 1 && *version != 2)) {
    return bad(fmt::format("has unknown version {}", version.value_or(0)), 4);
  }
  header_size_ = *version == 1 ? 24 : 28;
  if (bytes_.size() < 2 * header_size_ + kFooterRest) return bad("is too small", bytes_.size());
  const auto high = header.u8();
  block_size_ = std::uint32_t{*high} << 16 | *header.be16();
  table_.min_update_index = *header.be64();
  table_.max_update_index = *header.be64();
  const std::uint32_t hash = *version == 1 ? kSha1 : *header.be32();
  if (hash != (kind_ == HashKind::kSha1 ? kSha1 : kSha256)) {
    return bad(fmt::format("has hash id {:#x}, not that of the repository", hash), 24);
  }

  const std::size_t footer_size = header_size_ + kFooterRest;
  const std::size_t footer_at = bytes_.size() - footer_size;
  const ByteView footer = bytes_.subspan(footer_at);
  if (std::memcmp(footer.data(), bytes_.data(), header_size_) != 0) {
    return bad("its footer does not repeat the header", footer_at);
  }
  if (crc32_of(footer.first(footer_size - 4)) != read_be32(&footer[footer_size - 4])) {
    return bad("the checksum of its footer is wrong", footer_at + footer_size - 4);
  }
  ByteReader fields(footer.subspan(header_size_));
  ref_index_ = *fields.be64();
  const std::uint64_t objects = *fields.be64();
  objects_ = objects >> 5;
  abbreviation_ = objects & 31;
  object_index_ = *fields.be64();
  logs_ = *fields.be64();
  log_index_ = *fields.be64();
  blocks_bytes_ = bytes_.first(footer_at);
  if (objects_ != 0 && abbreviation_ == 0) {
    return bad("its object ids are abbreviated to nothing", footer_at + header_size_ + 8);
  }
  return {};
}

Result<Section> ReftableReader::section_of(std::uint8_t type, std::uint64_t offset) const {
  const auto order = section_ ? static_cast<int>(*section_) : -1;
  int next = -1;
  if (type == 'r') next = static_cast<int>(Section::kRefs);
  if (type == 'o') next = static_cast<int>(Section::kObjects);
  if (type == 'g') next = static_cast<int>(Section::kLogs);
  if (type == 'i' && section_) next = order % 2 == 1 ? order : order + 1;
  if (next < 0 || next < order) {
    return bad(fmt::format("block at {}: type {:#x} is out of place", offset, type), offset);
  }
  return static_cast<Section>(next);
}

Result<void> ReftableReader::read_blocks() {
  std::uint64_t offset = 0;
  if (blocks_bytes_.size() == header_size_) return {};  // an empty table
  while (offset < blocks_bytes_.size()) {
    const std::size_t header_size = offset == 0 ? header_size_ : 0;
    auto block = ReftableBlock::parse(blocks_bytes_, offset, header_size, block_size_);
    if (!block) return tl::unexpected(block.error());
    const auto section = section_of(block->type(), offset);
    if (!section) return tl::unexpected(section.error());
    if (section_ != *section) last_key_.clear();
    section_ = *section;
    if (auto read = read_block(*block, *section); !read) return read;
    if (!block->padding_is_zero()) {
      doubt(fmt::format("block at {}: the padding behind it is not zero", offset), offset);
    }
    offset += block->size_in_file();
  }
  return {};
}

Result<void> ReftableReader::read_block(ReftableBlock& block, Section section) {
  Block& known = blocks_[block.offset()];
  known.section = section;
  bool first = true;
  for (;;) {
    const auto more = block.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    key_bytes_ += block.key().size();
    if (key_bytes_ > kMostKeyBytes * (bytes_.size() + (std::size_t{1} << 20))) {
      return bad_record(block, "the names of the table are too long for its size");
    }
    // Each level of an index begins anew.
    if (first && !is_index(section) && !last_key_.empty() && block.key() <= last_key_) {
      return bad_record(block, "its first key is not above the last of the block before");
    }
    first = false;
    if (auto read = read_value(block, section); !read) return read;
  }
  known.last_key = last_key_ = block.key();
  return block.check_restarts();
}

Result<void> ReftableReader::read_value(ReftableBlock& block, Section section) {
  switch (section) {
    case Section::kRefs:
      return read_ref(block);
    case Section::kObjects:
      return read_object(block);
    case Section::kLogs:
      return read_log(block);
    case Section::kRefIndex:
    case Section::kObjectIndex:
    case Section::kLogIndex:
      break;
  }
  return read_index(block, section);
}

std::optional<ObjectId> ReftableReader::read_id(ByteReader& reader) const {
  const auto raw = reader.take(id_size(kind_));
  if (!raw) return std::nullopt;
  return ObjectId::from_raw(raw->data(), kind_);
}

Result<void> ReftableReader::read_ref(ReftableBlock& block) {
  ByteReader& value = block.value();
  ReftableRef ref;
  ref.name = block.key();
  ref.offset = block.record_offset();
  if (block.extra() > 3) {
    return bad_record(block, fmt::format("a ref has unknown type {}", block.extra()));
  }
  ref.kind = static_cast<ReftableRef::Kind>(block.extra());
  const auto update = read_reftable_number(value);
  bool complete = update.has_value();
  if (complete &&
      (ref.kind == ReftableRef::Kind::kId || ref.kind == ReftableRef::Kind::kPeeledId)) {
    const auto id = read_id(value);
    const auto peeled = ref.kind == ReftableRef::Kind::kPeeledId ? read_id(value) : id;
    complete = id && peeled;
    if (id) ref.id = *id;
    if (complete && ref.kind == ReftableRef::Kind::kPeeledId) ref.peeled = *peeled;
  } else if (complete && ref.kind == ReftableRef::Kind::kSymref) {
    const auto size = read_reftable_number(value);
    const auto target = size ? value.take(*size) : std::nullopt;
    complete = target.has_value();
    if (target) ref.target = as_text(*target);
  }
  if (!complete) return bad_record(block, "a ref is cut short");
  if (*update > table_.max_update_index - table_.min_update_index) {
    doubt(fmt::format("{}: its update index is beyond that of the table", ref.name), ref.offset);
  }
  ref_blocks_.push_back(block.offset());
  table_.refs.push_back(std::move(ref));
  return {};
}

Result<void> ReftableReader::read_object(ReftableBlock& block) {
  ByteReader& value = block.value();
  ObjectRecord& record = object_records_[block.key()];
  std::optional<std::uint64_t> count = block.extra();
  if (*count == 0) {
    count = read_reftable_number(value);
    record.everywhere = count && *count == 0;
  }
  std::uint64_t position = 0;
  for (std::uint64_t i = 0; count && i < *count; ++i) {
    const auto delta = read_reftable_number(value);
    if (!delta || *delta > bytes_.size()) count.reset();
    if (!count) break;
    position += *delta;
    record.blocks.push_back(position);
  }
  if (!count) return bad_record(block, "an object record is cut short");
  for (const std::uint64_t at : record.blocks) {
    const auto found = blocks_.find(at);
    if (found == blocks_.end() || found->second.section != Section::kRefs) {
      doubt(fmt::format("an object record names {}, where no ref block begins", at),
            block.record_offset());
      break;
    }
  }
  return {};
}

Result<void> ReftableReader::read_log(ReftableBlock& block) {
  ByteReader& value = block.value();
  constexpr std::size_t kIndexSize = 8;
  const std::string& key = block.key();
  if (key.size() < kIndexSize + 2 || key[key.size() - kIndexSize - 1] != '\0') {
    return bad_record(block, "the key of a log record is malformed");
  }
  ReftableLog log;
  log.offset = block.record_offset();
  log.name = std::string_view(key).substr(0, key.size() - kIndexSize - 1);
  log.update_index =
      ~read_be64(reinterpret_cast<const std::uint8_t*>(key.data()) + key.size() - kIndexSize);
  if (block.extra() > 1) {
    return bad_record(block, fmt::format("a log record has unknown type {}", block.extra()));
  }
  log.is_deletion = block.extra() == 0;
  if (!log.is_deletion) {
    const auto text = [&value](std::string_view& out) {
      const auto size = read_reftable_number(value);
      const auto taken = size ? value.take(*size) : std::nullopt;
      if (taken) out = as_text(*taken);
      return taken.has_value();
    };
    const auto old_id = read_id(value);
    const auto new_id = old_id ? read_id(value) : std::nullopt;
    bool complete = new_id && text(log.person) && text(log.email);
    const auto seconds = complete ? read_reftable_number(value) : std::nullopt;
    const auto zone = seconds ? value.be16() : std::nullopt;
    complete = zone && text(log.message);
    if (!complete) return bad_record(block, "a log record is cut short");
    log.old_id = *old_id;
    log.new_id = *new_id;
    log.seconds = *seconds;
    log.zone = static_cast<std::int16_t>(*zone);
  }
  if (on_log_) on_log_(log);
  return {};
}

Result<void> ReftableReader::read_index(ReftableBlock& block, Section section) {
  const auto position = read_reftable_number(block.value());
  if (!position) return bad_record(block, "an index record is cut short");
  const auto found = blocks_.find(*position);
  const auto leaves = static_cast<Section>(static_cast<unsigned>(section) - 1);
  if (found == blocks_.end() || *position == block.offset() ||
      (found->second.section != section && found->second.section != leaves)) {
    return bad_record(block, fmt::format("its index names {}, where no block begins", *position));
  }
  if (found->second.last_key != block.key()) {
    return bad_record(
        block, fmt::format("its index tells another last key for the block at {}", *position));
  }
  found->second.indexed = true;
  return {};
}

// The block at which readers enter the index, and with it all blocks that no index names.
Result<void> ReftableReader::check_index(Section leaves, std::uint64_t index_position) {
  const auto index = static_cast<Section>(static_cast<unsigned>(leaves) + 1);
  bool any = false;
  for (const auto& [offset, block] : blocks_) {
    if (block.section == index) any = true;
  }
  if (index_position == 0) {
    if (any) doubt("an index is not named by the footer", Fault::kNoOffset);
    return {};
  }
  const auto entry = blocks_.find(index_position);
  if (entry == blocks_.end() || entry->second.section != index) {
    return bad(fmt::format("its footer names {}, where no index begins", index_position),
               blocks_bytes_.size());
  }
  for (const auto& [offset, block] : blocks_) {
    if (block.section != index && block.section != leaves) continue;
    if (block.indexed == (offset >= index_position)) {
      return bad(fmt::format("block at {}: the index leads {}", offset,
                             block.indexed ? "to it from below" : "not to it"),
                 offset);
    }
  }
  return {};
}

Result<void> ReftableReader::check_positions() {
  const auto first_of = [this](Section section) -> std::optional<std::uint64_t> {
    for (const auto& [offset, block] : blocks_) {
      if (block.section == section) return offset;
    }
    return std::nullopt;
  };
  const auto objects = first_of(Section::kObjects);
  const auto logs = first_of(Section::kLogs);
  if (objects.value_or(0) != objects_) {
    return bad(fmt::format("its footer names {} as the first object block", objects_),
               blocks_bytes_.size());
  }
  if (logs.value_or(0) != logs_) {
    return bad(fmt::format("its footer names {} as the first log block", logs_),
               blocks_bytes_.size());
  }
  if (auto checked = check_index(Section::kRefs, ref_index_); !checked) return checked;
  if (auto checked = check_index(Section::kObjects, object_index_); !checked) return checked;
  return check_index(Section::kLogs, log_index_);
}

// Every id that a ref names is to be found by its abbreviation.
void ReftableReader::check_objects() {
  if (objects_ == 0) return;
  for (std::size_t i = 0; i < table_.refs.size(); ++i) {
    const ReftableRef& ref = table_.refs[i];
    for (const ObjectId* id : {&ref.id, &ref.peeled}) {
      const bool has = id == &ref.id ? ref.kind == ReftableRef::Kind::kId ||
                                           ref.kind == ReftableRef::Kind::kPeeledId
                                     : ref.kind == ReftableRef::Kind::kPeeledId;
      if (!has) continue;
      const std::string key(as_text(id->bytes().first(std::min(abbreviation_, id_size(kind_)))));
      const auto found = object_records_.find(key);
      if (found != object_records_.end() &&
          (found->second.everywhere ||
           std::binary_search(found->second.blocks.begin(), found->second.blocks.end(),
                              ref_blocks_[i]))) {
        continue;
      }
      doubt(fmt::format("{}: its object cannot be found by id", ref.name), ref.offset);
      return;
    }
  }
}

// Digits of a hexadecimal number as strtoull takes it: at least one, with an optional 0x.
std::size_t number_size(std::string_view text) {
  std::size_t size = 0;
  if (text.starts_with("0x") || text.starts_with("0X")) size = 2;
  while (size < text.size() && hex_digit_value(text[size]) >= 0) ++size;
  return size;
}

}  // namespace

Reftable read_reftable(ByteView bytes, HashKind kind,
                       const std::function<void(const ReftableLog&)>& on_log) {
  return ReftableReader(bytes, kind, on_log).read();
}

ReftableList parse_reftable_list(ByteView bytes) {
  ReftableList list;
  std::string_view rest = as_text(bytes);
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view name = rest.substr(0, end);
    const std::uint64_t offset = bytes.size() - rest.size();
    if (end == std::string_view::npos) {
      list.fault = Fault(MessageId::kReftableBad, "its last line is not ended", offset);
      return list;
    }
    if (name.find('/') != std::string_view::npos || name.find('\0') != std::string_view::npos ||
        name == "." || name == "..") {
      list.fault = Fault(MessageId::kReftableBad, "a name leads elsewhere", offset);
      return list;
    }
    if (!name.empty()) list.names.emplace_back(name);
    rest.remove_prefix(end + 1);
  }
  return list;
}

bool is_valid_reftable_name(std::string_view name) {
  for (int number = 0; number < 3; ++number) {
    name.remove_prefix(number_size(name));
    if (number < 2) {
      if (!name.starts_with('-')) return false;
      name.remove_prefix(1);
    }
  }
  return name == ".ref" || name == ".log";
}

}  // namespace assay
