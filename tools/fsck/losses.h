// What findings of lost objects mean for people: path, commit, refs, other copies.
#pragma once

#include <span>
#include <string>

#include "store/lost_objects.h"
#include "store/report/finding.h"
#include "tools/common/json_writer.h"

namespace assay::tools {

class Losses {
 public:
  Losses() = default;  // of nothing

  // Looks for the objects that the findings call missing or damaged. Opens the repository again,
  // and only when there are any. A repository that cannot be opened explains nothing.
  static Losses of(os::System& system, const OpenOptions& options,
                   std::span<const Finding> findings);

  // Adds path, commit, refs, ref_count and good_copy to the record of a finding, as far as it is
  // about a lost object and they are known.
  void add_to(JsonObject& record, const Finding& finding) const;

  // Returns: a line "hint: ..." for each lost object, 20 at most.
  std::string hints() const;

 private:
  LostObjects lost_;
};

}  // namespace assay::tools
