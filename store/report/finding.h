// Finding: a fault with its place. What a run of fsck reports, one at a time, through a sink.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/report/fault.h"

namespace assay {

// Where a finding stands in the canonical order: object directories in alternates order, loose
// objects by id, packs by name, entries by offset; then refs, reflogs, index files, the graph.
// Findings are sorted by it, so the output does not depend on threads or time.
struct FindingOrder {
  std::uint32_t phase = 0;
  std::uint32_t file = 0;
  std::uint64_t item = 0;
  std::uint32_t part = 0;
  friend auto operator<=>(const FindingOrder&, const FindingOrder&) = default;
};

struct Finding {
  MessageId id{};
  Severity severity = Severity::kError;  // as the policy decided
  ExitBit bit = ExitBit::kBitNone;       // of this finding at this severity
  ObjectType type = ObjectType::kUnknown;
  std::optional<ObjectId> oid;
  // Of a broken link: what holds it, when that is not `oid` itself.
  std::optional<ObjectId> from;
  ObjectType from_type = ObjectType::kUnknown;
  std::string object_name;  // what git calls it with --name-objects
  std::string ref;          // the ref, reflog or worktree it is about
  std::string file;  // path of the file that holds the fault; with `from`, of one that holds that
  std::uint64_t offset = Fault::kNoOffset;  // bytes from the start of that file
  std::string text;
  std::vector<std::string> causes;  // lines that come before it
  FindingOrder order;
};

}  // namespace assay
