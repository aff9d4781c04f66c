#include "store/refs/reftable_block.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/codec/inflate.h"
#include "store/codec/zlib_stream.h"

namespace assay {
namespace {

constexpr std::size_t kBlockHeaderSize = 4;
constexpr std::size_t kRestartSize = 3;
constexpr std::size_t kRestartCountSize = 2;

std::uint32_t read_be24(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[2];
}

}  // namespace

std::optional<std::uint64_t> read_reftable_number(ByteReader& reader) {
  auto byte = reader.u8();
  if (!byte) return std::nullopt;
  std::uint64_t value = *byte & 0x7f;
  while ((*byte & 0x80) != 0) {
    ++value;
    if (value >> (64 - 7) != 0) return std::nullopt;
    byte = reader.u8();
    if (!byte) return std::nullopt;
    value = (value << 7) | (*byte & 0x7f);
  }
  return value;
}

tl::unexpected<Fault> ReftableBlock::bad(std::string_view what) const {
  return fault(MessageId::kReftableBad, fmt::format("block at {}: {}", offset_, what),
               record_offset());
}

std::uint64_t ReftableBlock::record_offset() const {
  return type_ == 'g' ? offset_ : offset_ + begin_;
}

Result<ReftableBlock> ReftableBlock::parse(ByteView file, std::uint64_t offset,
                                           std::size_t header_size, std::uint32_t aligned_size) {
  ReftableBlock block;
  block.offset_ = offset;
  block.bytes_ = file.subspan(static_cast<std::size_t>(offset));
  if (block.bytes_.size() < header_size + kBlockHeaderSize) return block.bad("is cut short");
  block.type_ = block.bytes_[header_size];
  const std::uint32_t size = read_be24(&block.bytes_[header_size + 1]);
  const std::size_t records_begin = header_size + kBlockHeaderSize;
  if (size < records_begin + kRestartCountSize) return block.bad("its size is too small");
  if (block.type_ == 'g') {
    if (auto inflated = block.inflate(file, header_size, size); !inflated) {
      return tl::unexpected(inflated.error());
    }
  } else {
    if (size > block.bytes_.size()) return block.bad("reaches beyond the blocks of the file");
    block.measure_padding(file, size, aligned_size);
    block.bytes_ = block.bytes_.first(size);
  }
  const ByteView bytes = block.bytes();
  const std::size_t count = read_be16(&bytes[size - kRestartCountSize]);
  const std::size_t table = kRestartSize * count + kRestartCountSize;
  if (count == 0 || table > size - records_begin)
    return block.bad("its restart table is too large");
  block.records_end_ = size - table;
  block.value_ = ByteReader(bytes.first(block.records_end_));
  block.value_.take(records_begin);
  block.begin_ = records_begin;
  return block;
}

Result<void> ReftableBlock::inflate(ByteView file, std::size_t header_size, std::uint32_t size) {
  const std::size_t skip = header_size + kBlockHeaderSize;
  const ByteView deflated = file.subspan(static_cast<std::size_t>(offset_) + skip);
  if (size - skip > max_inflated_size(deflated.size())) return bad("its size cannot be true");
  inflated_.resize(size);
  std::copy_n(bytes_.begin(), skip, inflated_.begin());
  ZlibInflater inflater;
  const ZlibStep step = inflater.run(deflated, {inflated_.data() + skip, size - skip});
  if (step.state == ZlibState::kError) {
    return bad(fmt::format("cannot be inflated: {}", inflater.error_text()));
  }
  std::size_t consumed = step.consumed;
  ZlibState state = step.state;
  if (step.produced == size - skip && state != ZlibState::kEnd) {
    const ZlibStep last = inflater.run(deflated.subspan(consumed), {});
    consumed += last.consumed;
    state = last.state;
  }
  if (step.produced != size - skip || state != ZlibState::kEnd) {
    return bad("does not inflate to the size that it tells");
  }
  size_in_file_ = skip + consumed;
  return {};
}

void ReftableBlock::measure_padding(ByteView file, std::uint32_t size, std::uint32_t aligned_size) {
  const std::uint64_t left = file.size() - offset_;
  size_in_file_ = size;
  if (size >= aligned_size || size == left || bytes_[size] != 0) return;
  // The last block of a section need not be filled up.
  size_in_file_ = std::min<std::uint64_t>(aligned_size, left);
  const auto padding = bytes_.subspan(size, static_cast<std::size_t>(size_in_file_) - size);
  padding_is_zero_ =
      std::all_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte == 0; });
}

Result<bool> ReftableBlock::next() {
  begin_ = value_.offset();
  if (value_.at_end()) {
    if (!any_) return bad("holds no record");
    return false;
  }
  const auto prefix = read_reftable_number(value_);
  const auto suffix = prefix ? read_reftable_number(value_) : std::nullopt;
  const auto text = suffix ? value_.take(*suffix >> 3) : std::nullopt;
  if (!text) return bad("a record is cut short");
  if (*prefix > key_.size()) return bad("a key begins with more than the one before it has");
  if (*prefix == 0) whole_keys_.push_back(static_cast<std::uint32_t>(begin_));
  if (*prefix + text->size() > kMaxKeySize) return bad("a key is too long");
  std::string former = any_ ? key_ : std::string();
  key_.resize(static_cast<std::size_t>(*prefix));
  key_.append(as_text(*text));
  if (any_ && key_ <= former) return bad("its keys are not in order");
  if (key_.empty()) return bad("a key is empty");
  any_ = true;
  extra_ = static_cast<std::uint8_t>(*suffix & 7);
  return true;
}

Result<void> ReftableBlock::check_restarts() const {
  const ByteView all = bytes();
  std::uint32_t former = 0;
  for (std::size_t at = records_end_; at + kRestartCountSize < all.size(); at += kRestartSize) {
    const std::uint32_t restart = read_be24(&all[at]);
    if (restart <= former) return bad("its restarts are not in order");
    if (!std::binary_search(whole_keys_.begin(), whole_keys_.end(), restart)) {
      return bad(fmt::format("there is no whole key at its restart {}", restart));
    }
    former = restart;
  }
  return {};
}

}  // namespace assay
