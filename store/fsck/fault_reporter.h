// FaultReporter: turns faults into findings of one phase, in the order they are reported.
//
// Thread safety: none; one thread a reporter.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "store/report/finding.h"
#include "store/report/policy.h"
#include "store/report/sink.h"

namespace assay {

class FaultReporter {
 public:
  // `phase` as in FindingOrder; both references must outlive the reporter.
  FaultReporter(const Policy& policy, FindingSink& findings, std::uint32_t phase)
      : policy_(policy), findings_(findings), phase_(phase) {}

  // The file that the following findings are about, as it is shown to people.
  void enter_file(std::string file) {
    file_ = std::move(file);
    ++file_number_;
    item_ = 0;
  }

  // Returns: a finding with everything filled in that does not depend on its place in the file.
  Finding finding(MessageId id, std::string text) const {
    return finding(Fault(id, std::move(text)));
  }

  Finding finding(Fault fault) const {
    Finding result = finding_of(std::move(fault), policy_);
    result.file = file_;
    return result;
  }

  // Findings that the policy ignores go no further.
  void report(Finding found) {
    if (found.severity == Severity::kIgnore) return;
    found.order = {phase_, file_number_, item_++, 0};
    findings_.add(std::move(found));
  }

  void report(MessageId id, std::string text, std::string ref = "") {
    Finding found = finding(id, std::move(text));
    found.ref = std::move(ref);
    report(std::move(found));
  }

  // A fault of a parser, its text preceded by `prefix`.
  void report(Fault fault, std::string_view prefix = "") {
    fault.text.insert(0, prefix);
    report(finding(std::move(fault)));
  }

 private:
  const Policy& policy_;
  FindingSink& findings_;
  std::uint32_t phase_;
  std::uint32_t file_number_ = 0;
  std::uint64_t item_ = 0;
  std::string file_;
};

}  // namespace assay
