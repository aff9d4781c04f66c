#include "store/fsck/rules/rule_reporter.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

const ObjectId kId = *ObjectId::from_hex(std::string(40, '1'), HashKind::kSha1);

TEST(RuleReporter, AnErrorEndsTheCheckAWarningDoesNot) {
  Policy policy;
  ASSERT_TRUE(policy.configure("badDate", "ignore"));
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kCommit, kId);
  EXPECT_FALSE(reporter.report(MessageId::kBadDate, "ignored"));
  EXPECT_FALSE(reporter.report(MessageId::kNulInCommit, "warning"));
  EXPECT_FALSE(reporter.report(MessageId::kBadTagName, "note"));
  EXPECT_FALSE(reporter.failed());
  EXPECT_TRUE(reporter.report(MessageId::kBadName, "error", "cause"));
  EXPECT_TRUE(reporter.failed());
  EXPECT_TRUE(reporter.report(MessageId::kNulInHeader, "fatal"));
  ASSERT_EQ(list.findings().size(), 4U);
  const Finding& error = list.findings()[2];
  EXPECT_EQ(error.id, MessageId::kBadName);
  EXPECT_EQ(error.severity, Severity::kError);
  EXPECT_EQ(error.bit, ExitBit::kBitObject);
  EXPECT_EQ(error.type, ObjectType::kCommit);
  EXPECT_EQ(error.oid, kId);
  EXPECT_EQ(error.text, "error");
  EXPECT_EQ(error.causes, std::vector<std::string>{"cause"});
  EXPECT_EQ(error.order.part, 2U);
  EXPECT_EQ(list.findings()[0].bit, ExitBit::kBitNone);
  EXPECT_TRUE(list.findings()[0].causes.empty());
  EXPECT_EQ(list.findings()[3].severity, Severity::kFatal);

  reporter.begin(ObjectType::kTree, ObjectId());
  EXPECT_FALSE(reporter.failed());
  reporter.report(MessageId::kHasDot, "next object");
  EXPECT_EQ(list.findings().back().order.part, 0U);
  EXPECT_EQ(list.findings().back().type, ObjectType::kTree);
}

TEST(RuleReporter, AnythingEndsTheCheckOfANewObject) {
  const Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list, RuleReporter::StopAt::kAnything);
  reporter.begin(ObjectType::kTag, kId);
  EXPECT_TRUE(reporter.report(MessageId::kBadTagName, "note"));
  EXPECT_FALSE(reporter.report(MessageId::kExtraHeaderEntry, "ignored by default"));
  EXPECT_EQ(list.findings().size(), 1U);
}

TEST(RuleReporter, SkippedObjectsAreNotReported) {
  Policy policy;
  ASSERT_TRUE(policy.add_skip_list(kId.hex(), HashKind::kSha1));
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kCommit, kId);
  EXPECT_FALSE(reporter.report(MessageId::kNulInHeader, "fatal"));
  EXPECT_FALSE(reporter.failed());
  EXPECT_TRUE(list.findings().empty());
  reporter.begin(ObjectType::kCommit, ObjectId());
  EXPECT_TRUE(reporter.report(MessageId::kNulInHeader, "fatal"));
}

}  // namespace
}  // namespace assay
