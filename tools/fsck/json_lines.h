// The records of `assay fsck --format=jsonl`: one JSON object a line.
//
// docs/jsonl.md is their manual, docs/jsonl.schema.json their JSON schema; a change that could
// break a reader raises kJsonSchemaVersion, and both are changed with it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "store/fsck.h"
#include "tools/common/json_writer.h"

namespace assay::tools {

constexpr std::uint64_t kJsonSchemaVersion = 1;

// The first record of each repository. `repository`: its git directory.
std::string json_run(std::string_view repository);

// The fields of a finding, for whoever adds to them.
JsonObject json_finding_fields(const Finding& finding);
std::string json_finding(const Finding& finding);

// The last record: `counted` are the findings that were printed, `exit` the exit status.
JsonObject json_summary_fields(const FsckStatistics& statistics, std::span<const Finding> counted,
                               int exit);

// Takes the place of the summary when the repository could not be checked.
std::string json_failure(const Fault& fault, int exit);

// Returns: "error" and so on, as docs/messages.md names severities and classes.
std::string_view severity_name(Severity severity);
std::string_view class_name(FaultClass klass);

}  // namespace assay::tools
