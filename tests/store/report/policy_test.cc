#include "store/report/policy.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

std::string error_of(const Result<void>& result) { return result ? "none" : result.error().text; }

TEST(Policy, DefaultsAreThoseOfTheTable) {
  const Policy policy;
  for (const Message& row : all_messages()) {
    EXPECT_EQ(policy.severity(row.id), row.severity) << row.name;
  }
  EXPECT_FALSE(policy.strict());
  EXPECT_EQ(policy.max_pathname_size(), 4096U);
}

TEST(Policy, StrictRaisesGitsWarningsOnly) {
  Policy policy;
  policy.set_strict(true);
  int raised = 0;
  for (const Message& row : all_messages()) {
    const bool raise = row.since == Since::kGit && row.severity == Severity::kWarn;
    raised += raise ? 1 : 0;
    EXPECT_EQ(policy.severity(row.id), raise ? Severity::kError : row.severity) << row.name;
  }
  EXPECT_EQ(raised, 10);
  policy.set_strict(false);
  EXPECT_EQ(policy.severity(MessageId::kHasDot), Severity::kWarn);
}

TEST(Policy, ConfigurationWinsOverStrictInAnyOrder) {
  Policy policy;
  ASSERT_TRUE(policy.configure("hasdot", "warn"));
  ASSERT_TRUE(policy.configure("HasDotDot", "ignore"));
  ASSERT_TRUE(policy.configure("badtagname", "error"));
  policy.set_strict(true);
  ASSERT_TRUE(policy.configure("hasDotgit", "warn"));
  EXPECT_EQ(policy.severity(MessageId::kHasDot), Severity::kWarn);
  EXPECT_EQ(policy.severity(MessageId::kHasDotdot), Severity::kIgnore);
  EXPECT_EQ(policy.severity(MessageId::kHasDotgit), Severity::kWarn);
  EXPECT_EQ(policy.severity(MessageId::kBadTagName), Severity::kError);
  EXPECT_EQ(policy.severity(MessageId::kNullSha1), Severity::kError);
  ASSERT_TRUE(policy.configure("hasdot", "error"));
  EXPECT_EQ(policy.severity(MessageId::kHasDot), Severity::kError);
}

TEST(Policy, ErrorsInGitsWords) {
  Policy policy;
  EXPECT_EQ(error_of(policy.configure("whatEver", "warn")), "Unhandled message id: whatever");
  EXPECT_EQ(error_of(policy.configure("has_dot", "warn")), "Unhandled message id: has_dot");
  EXPECT_EQ(error_of(policy.configure("packGap", "warn")), "Unhandled message id: packgap");
  EXPECT_EQ(error_of(policy.configure("hasDot", "Warn")), "Unknown fsck message type: 'Warn'");
  EXPECT_EQ(error_of(policy.configure("hasDot", "")), "Unknown fsck message type: ''");
  EXPECT_EQ(error_of(policy.configure("nulInHeader", "warn")), "Cannot demote nulinheader to warn");
  EXPECT_EQ(error_of(policy.configure("unterminatedHeader", "ignore")),
            "Cannot demote unterminatedheader to ignore");
  EXPECT_EQ(policy.configure("hasDot", "x").error().id, MessageId::kConfigBad);
  for (const Message& row : all_messages()) {
    EXPECT_EQ(policy.severity(row.id), row.severity) << row.name;
  }
  EXPECT_TRUE(policy.configure("nulInHeader", "error"));
}

TEST(Policy, LongestPathname) {
  Policy policy;
  ASSERT_TRUE(policy.configure("largePathname", "error:10"));
  EXPECT_EQ(policy.max_pathname_size(), 10U);
  EXPECT_EQ(policy.severity(MessageId::kLargePathname), Severity::kError);
  const auto size_of = [&](const std::string& number) -> std::size_t {
    EXPECT_TRUE(policy.configure("largepathname", "warn:" + number)) << number;
    return policy.max_pathname_size();
  };
  EXPECT_EQ(size_of("2k"), 2048U);
  EXPECT_EQ(size_of("1M"), 1U << 20);
  EXPECT_EQ(size_of("3g"), 3ULL << 30);
  EXPECT_EQ(size_of("0x10"), 16U);
  EXPECT_EQ(size_of("0X1fK"), 31U << 10);
  EXPECT_EQ(size_of("010"), 8U);
  EXPECT_EQ(size_of(" +7"), 7U);
  EXPECT_EQ(size_of("-1"), 0U);
  EXPECT_EQ(size_of("9223372036854775807"), 9223372036854775807U);
  for (const std::string number : {"", "x", "10x", "08", "0x", "-", "1kk", "1 k",
                                   "9223372036854775808", "9007199254740992k"}) {
    EXPECT_EQ(error_of(policy.configure("largePathname", "warn:" + number)),
              "unable to parse max tree entry len: " + number);
  }
  EXPECT_EQ(policy.max_pathname_size(), 9223372036854775807U);
  // The number is read first, the severity after it; neither counts when the other is bad.
  EXPECT_EQ(error_of(policy.configure("largePathname", "loud:5")),
            "Unknown fsck message type: 'loud'");
  EXPECT_EQ(policy.max_pathname_size(), 9223372036854775807U);
  EXPECT_EQ(error_of(policy.configure("hasDot", "warn:5")), "Unknown fsck message type: 'warn:5'");
}

TEST(Policy, SkipList) {
  const std::string one(40, '1');
  const std::string two = std::string(38, '0') + "aB";
  Policy policy;
  const ObjectId first = *ObjectId::from_hex(one, HashKind::kSha1);
  const ObjectId second = *ObjectId::from_hex(two, HashKind::kSha1);
  EXPECT_FALSE(policy.skips(first));
  ASSERT_TRUE(
      policy.add_skip_list("# all\n\n \t\r\n  " + one + " # why\r\n" + two, HashKind::kSha1));
  EXPECT_TRUE(policy.skips(first));
  EXPECT_TRUE(policy.skips(second));
  EXPECT_FALSE(policy.skips(ObjectId()));
  ASSERT_TRUE(policy.add_skip_list("", HashKind::kSha1));
  EXPECT_TRUE(policy.skips(first));

  Policy other;
  EXPECT_EQ(error_of(other.add_skip_list(one + "\n" + one + "1\n", HashKind::kSha1)),
            "invalid object name: " + one + "1");
  EXPECT_EQ(error_of(other.add_skip_list(one.substr(1), HashKind::kSha1)),
            "invalid object name: " + one.substr(1));
  EXPECT_EQ(error_of(other.add_skip_list(one + " " + one, HashKind::kSha1)),
            "invalid object name: " + one + " " + one);
  EXPECT_EQ(error_of(other.add_skip_list(one, HashKind::kSha256)), "invalid object name: " + one);
  EXPECT_FALSE(other.skips(first)) << "a bad list adds nothing";
}

}  // namespace
}  // namespace assay
