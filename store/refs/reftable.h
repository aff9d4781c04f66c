// Reftable: one table file of a repository whose refs are stored in reftables: refs and their logs.
//
//   header, ref blocks, ref index, object blocks, object index, log blocks, log index, footer
//
// Every section may be missing. The whole file is read and checked once: checksum, order of keys,
// restarts, and that the indexes lead to the blocks they name. What git could not read is a fault
// and ends the reading; what it reads although it is not as it should be is a doubt.
//
// Source of the format: git's Documentation/technical/reftable; version 1 (SHA-1) and 2.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

struct ReftableRef {
  enum class Kind : std::uint8_t { kDeletion = 0, kId = 1, kPeeledId = 2, kSymref = 3 };
  std::string name;
  Kind kind = Kind::kDeletion;
  ObjectId id;               // of kId and kPeeledId
  ObjectId peeled;           // of kPeeledId: what the annotated tag points to in the end
  std::string target;        // of kSymref
  std::uint64_t offset = 0;  // of the record in the file
};

// One line of a reflog. The views live as long as the call that hands it over.
struct ReftableLog {
  std::string_view name;           // of the ref
  std::uint64_t update_index = 0;  // which of its entries; higher is newer
  bool is_deletion = false;        // hides the entry of older tables; nothing below counts
  ObjectId old_id;
  ObjectId new_id;
  std::string_view person;
  std::string_view email;
  std::uint64_t seconds = 0;  // since 1970
  std::int16_t zone = 0;      // as git prints it: 130 for +0130
  std::string_view message;
  std::uint64_t offset = 0;  // of its block in the file
};

struct Reftable {
  std::uint64_t min_update_index = 0;
  std::uint64_t max_update_index = 0;
  std::vector<ReftableRef> refs;  // by name
  std::optional<Fault> fault;     // what ended the reading; kReftableBad
  std::vector<Fault> doubts;      // kReftableDoubtful
};

// Hands the log entries to `on_log` (may be empty), by ref and then newest first.
Reftable read_reftable(ByteView bytes, HashKind kind,
                       const std::function<void(const ReftableLog&)>& on_log);

// The file tables.list: the names of the tables of a stack, oldest first, one a line.
struct ReftableList {
  std::vector<std::string> names;
  std::optional<Fault> fault;  // kReftableBad: a last line without an end, a name that is a path
};
ReftableList parse_reftable_list(ByteView bytes);

// True for MIN-MAX-RANDOM.ref and .log, all hexadecimal numbers, as git checks it.
bool is_valid_reftable_name(std::string_view name);

// Bytes; larger files are refused.
constexpr std::uint64_t kMaxReftableSize = std::uint64_t{4} << 30;
constexpr std::uint64_t kMaxReftableListSize = std::uint64_t{1} << 20;

}  // namespace assay
