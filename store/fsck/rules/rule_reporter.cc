#include "store/fsck/rules/rule_reporter.h"

#include <utility>

namespace assay {

bool RuleReporter::report(MessageId message_id, std::string text, std::string_view cause) {
  const Severity severity = policy_.severity(message_id);
  if (severity == Severity::kIgnore || policy_.skips(id_)) return false;
  const bool is_error = severity >= Severity::kError;
  failed_ = failed_ || is_error;

  Finding finding;
  finding.id = message_id;
  finding.severity = severity;
  finding.bit = is_error ? message(message_id).bit : ExitBit::kBitNone;
  finding.type = type_;
  finding.oid = id_;
  finding.text = std::move(text);
  if (!cause.empty()) finding.causes.emplace_back(cause);
  finding.order.part = part_++;
  sink_.add(std::move(finding));
  return is_error || stop_at_ == StopAt::kAnything;
}

}  // namespace assay
