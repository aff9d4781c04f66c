// RuleReporter: between the rules of one object and the sink. Applies the policy to each message
// and says whether the check goes on, as git does: a message that counts as an error ends the rest
// of the check that asked, a warning does not.
//
// Not thread safe: each worker has one of its own.
#pragma once

#include <string>
#include <string_view>

#include "store/report/finding.h"
#include "store/report/policy.h"
#include "store/report/sink.h"

namespace assay {

class RuleReporter {
 public:
  enum class StopAt : std::uint8_t {
    kErrors,    // fsck
    kAnything,  // hash-object, mktag: whatever is reported makes the object unacceptable
  };

  // Policy and sink must outlive the reporter.
  RuleReporter(const Policy& policy, FindingSink& sink, StopAt stop_at = StopAt::kErrors)
      : policy_(policy), sink_(sink), stop_at_(stop_at) {}

  // Before each object.
  void begin(ObjectType type, const ObjectId& id) {
    type_ = type;
    id_ = id;
    part_ = 0;
    failed_ = false;
  }

  // Reports one message about the current object. `cause` is the line that git prints before it.
  // The finding carries id, severity, bit (as for a loose object), type, oid, text, causes and
  // order.part (the rank of the message within its object); the sink adds the place.
  // Returns: true when the rest of the check must not run.
  bool report(MessageId message, std::string text, std::string_view cause = {});

  // True when a message of the current object counted as an error.
  bool failed() const { return failed_; }
  const Policy& policy() const { return policy_; }

 private:
  const Policy& policy_;
  FindingSink& sink_;
  StopAt stop_at_;
  ObjectType type_ = ObjectType::kUnknown;
  ObjectId id_;
  std::uint32_t part_ = 0;
  bool failed_ = false;
};

}  // namespace assay
