// Findings as git would print them, one a line, for comparing.
#pragma once

#include <string>

#include "store/report/exit_status.h"
#include "store/report/sink.h"

namespace assay::testing {

inline std::string line_of(const Finding& finding) {
  const Message& row = message(finding.id);
  const std::string level = finding.severity >= Severity::kError ? "error" : "warning";
  switch (row.shape) {
    case Shape::kInRef:
      return level + ": " + finding.ref + ": " + std::string(row.name) + ": " + finding.text;
    case Shape::kErrorLine:
      return "error: " + finding.text;
    case Shape::kWarningLine:
      return "warning: " + finding.text;
    case Shape::kInObjectPlain:
      return level + " in " + std::string(type_name(finding.type)) + " " +
             (finding.oid ? finding.oid->hex() : "?") + ": " + finding.text;
    default:
      return finding.text;
  }
}

inline std::string lines_of(FindingList& list) {
  std::string text;
  for (const Finding& finding : list.findings()) {
    for (const std::string& cause : finding.causes) text += "error: " + cause + "\n";
    text += line_of(finding) + "\n";
  }
  return text;
}

inline int exit_status_of(FindingList& list) {
  ExitStatus status;
  for (const Finding& finding : list.findings()) status.add(finding);
  return status.value();
}

}  // namespace assay::testing
