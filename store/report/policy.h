// Policy: how bad a fault is. Severities come from messages.def, `fsck.<id>`, --strict and the
// skip list; code that finds faults never decides it.
//
// Thread safety: immutable once built; may be read from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "store/base/object_id.h"
#include "store/report/fault.h"
#include "store/report/finding.h"

namespace assay {

class Policy {
 public:
  Policy();

  // Warnings become errors (notes stay as they are), and mode 100664 counts as bad.
  void set_strict(bool strict);
  bool strict() const { return strict_; }

  // `fsck.<name> = value`, names and values as git config spells them. On a fault (unknown name,
  // unknown value, a fatal message demoted) nothing is changed; git dies there.
  Result<void> configure(std::string_view name, std::string_view value);

  // One object id a line, `#` comments, blanks around ids ignored: the file of fsck.skipList.
  Result<void> add_skip_list(std::string_view text, HashKind kind);
  bool skips(const ObjectId& id) const { return !skip_list_.empty() && skip_list_.contains(id); }

  Severity severity(MessageId id) const { return severities_[static_cast<std::size_t>(id)]; }
  // Longest pathname before largePathname is raised, bytes.
  std::size_t max_pathname_size() const { return max_pathname_size_; }

 private:
  std::array<Severity, 256> severities_{};
  std::array<bool, 256> configured_{};
  std::unordered_set<ObjectId, ObjectIdHash> skip_list_;
  std::size_t max_pathname_size_ = 4096;
  bool strict_ = false;
};

// Returns: the finding with all that does not depend on its place; `bit` as messages.def has it.
Finding finding_of(Fault fault, const Policy& policy);

}  // namespace assay
