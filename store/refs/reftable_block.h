// ReftableBlock: one block of a reftable, its records one after the other.
//
//   type (1 byte)  size (3 bytes)  record+  restart offset (3 bytes)+  restart count (2 bytes)
//
// The key of a record shares a prefix with that of the record before it; at the offsets of the
// restart table the prefix is empty, so that readers can halve. The first block of a file counts
// its size and offsets from the start of the file, header included. Log blocks (type 'g') are
// deflated behind their first four bytes and tell their inflated size.
//
// Source of the format: git's Documentation/technical/reftable.
// Thread safety: none; one reader a block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/byte_reader.h"
#include "store/report/fault.h"

namespace assay {

// A number of one to ten bytes: groups of seven bits, the highest first; every byte but the last
// has its high bit set, and one is added for it.
std::optional<std::uint64_t> read_reftable_number(ByteReader& reader);

class ReftableBlock {
 public:
  static constexpr std::size_t kMaxKeySize = std::size_t{64} << 10;  // bytes; git's names are short

  // `file`: the blocks of a table (the footer cut off); `offset`: where the block begins.
  // `header_size`: of the header of the file if this is its first block, else 0. `aligned_size`:
  // the block size that the header of the file tells, 0 for unaligned files. Errors: kReftableBad
  // with the offset in the file.
  static Result<ReftableBlock> parse(ByteView file, std::uint64_t offset, std::size_t header_size,
                                     std::uint32_t aligned_size);

  std::uint8_t type() const { return type_; }
  std::uint64_t offset() const { return offset_; }
  // Bytes that it takes in the file, with the padding behind it.
  std::uint64_t size_in_file() const { return size_in_file_; }
  bool padding_is_zero() const { return padding_is_zero_; }

  // Goes to the next record: its key, and the three bits beside the length of the suffix. The
  // caller then reads the value from value() to its end. Returns: false at the end of the block.
  Result<bool> next();
  const std::string& key() const { return key_; }
  std::uint8_t extra() const { return extra_; }
  ByteReader& value() { return value_; }
  // Where the record begins in the file; in a log block, that of the block.
  std::uint64_t record_offset() const;

  // After the last record. Errors: a restart that is no start of a whole key.
  Result<void> check_restarts() const;

 private:
  ReftableBlock() : value_(ByteView()) {}

  ByteView bytes() const { return type_ == 'g' ? ByteView(inflated_) : bytes_; }
  Result<void> inflate(ByteView file, std::size_t header_size, std::uint32_t size);
  void measure_padding(ByteView file, std::uint32_t size, std::uint32_t aligned_size);
  tl::unexpected<Fault> bad(std::string_view what) const;

  std::uint64_t offset_ = 0;
  std::uint8_t type_ = 0;
  ByteView bytes_;  // from the start of the block, header of the file included
  Bytes inflated_;  // the same of a log block
  std::uint64_t size_in_file_ = 0;
  bool padding_is_zero_ = true;
  std::size_t records_end_ = 0;  // where the restart table begins
  std::size_t begin_ = 0;        // of the record at hand
  std::string key_;
  std::uint8_t extra_ = 0;
  ByteReader value_;  // over bytes()[0, records_end_)
  bool any_ = false;
  std::vector<std::uint32_t> whole_keys_;  // offsets of the records without a prefix
};

}  // namespace assay
