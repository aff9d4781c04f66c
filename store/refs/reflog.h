// A reflog: the past values of one ref, oldest first.
//
//   <old id> SP <new id> SP <name> SP <<email>> SP <seconds> SP <zone> [TAB <message>] LF
//
// As git does, a line that does not follow this grammar is skipped, and counted.
// Source of the format: gitrepository-layout(5), "logs", and git 2.55.
#pragma once

#include <cstdint>
#include <vector>

#include "store/base/object_id.h"

namespace assay {

struct ReflogEntry {
  ObjectId old_id;
  ObjectId new_id;
  std::uint64_t timestamp = 0;  // seconds since 1970; git reads it unsigned
  std::uint32_t line = 0;       // from 1
};

struct Reflog {
  std::vector<ReflogEntry> entries;
  std::vector<std::uint32_t> bad_lines;  // at most 100 are kept
  std::uint64_t bad_line_count = 0;
};

Reflog parse_reflog(ByteView bytes, HashKind kind);

}  // namespace assay
