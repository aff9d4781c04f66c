// Every rule against the verdicts of git 2.55, recorded in rule_cases.inc.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "store/fsck/rules/gitattributes_rules.h"
#include "store/fsck/rules/gitmodules_rules.h"
#include "store/fsck/rules/object_rules.h"
#include "store/object/commit.h"
#include "store/object/object_hash.h"
#include "store/object/tag.h"

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kModeCount = 5;
constexpr std::array<std::string_view, kModeCount> kModes = {"default", "strict", "ignore", "warn",
                                                             "error"};

struct RuleCase {
  std::string_view rule;     // the message that the case is about
  std::string_view type;     // of an object, or what a tree calls the blob
  std::string_view special;  // "near: ..." for one that must not raise it by default
  std::string_view body;
  std::array<std::string_view, kModeCount>
      fsck;  // lines "E id: text" or "W id: text"; "?": unknown
  std::string_view hash_object;
};

// clang-format off
constexpr RuleCase kCases[] = {
#include "tests/store/fsck/rules/rule_cases.inc"
};
// clang-format on

std::string told(FindingList& list) {
  std::string lines;
  for (const Finding& finding : list.findings()) {
    if (!lines.empty()) lines += '\n';
    lines += finding.severity >= Severity::kError ? "E " : "W ";
    lines += std::string(message(finding.id).name) + ": ";
    for (const char c : finding.text) {
      if (c == '\n') {
        lines += "\\n";
      } else {
        lines += c;
      }
    }
  }
  return lines;
}

ObjectType object_type(const RuleCase& rule_case) {
  return parse_type_name(rule_case.type).value_or(ObjectType::kBlob);
}

void check(const RuleCase& rule_case, RuleReporter& reporter) {
  const ByteView body = as_bytes(rule_case.body);
  SpecialBlobs special;
  if (rule_case.type == "gitmodules") {
    check_gitmodules_blob(body, reporter);
  } else if (rule_case.type == "gitattributes") {
    check_gitattributes_blob(body, reporter);
  } else {
    check_object_rules(object_type(rule_case), body, HashKind::kSha1, reporter, special);
  }
}

// What fsck says: nothing by these rules when the parser refuses the object before.
std::string fsck(const RuleCase& rule_case, const Policy& policy) {
  const ObjectType type = object_type(rule_case);
  const ByteView body = as_bytes(rule_case.body);
  const ObjectId id = name_object(type, body, HashKind::kSha1).id;
  if (type == ObjectType::kCommit && !parse_commit(body, id)) return "";
  if (type == ObjectType::kTag && !parse_tag(body, id)) return "";
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(type, id);
  check(rule_case, reporter);
  bool failed = false;
  for (const Finding& finding : list.findings()) {
    failed |= finding.severity >= Severity::kError;
    EXPECT_EQ(finding.type, type);
    EXPECT_EQ(finding.oid, id);
    EXPECT_EQ(finding.bit,
              finding.severity >= Severity::kError ? ExitBit::kBitObject : ExitBit::kBitNone);
  }
  EXPECT_EQ(reporter.failed(), failed);
  return told(list);
}

TEST(RuleCases, FsckSaysWhatGitSays) {
  for (const RuleCase& rule_case : kCases) {
    for (std::size_t mode = 0; mode < kModeCount; ++mode) {
      if (rule_case.fsck[mode] == "?") continue;
      Policy policy;
      std::string said;
      if (kModes[mode] == "default") {
        said = fsck(rule_case, policy);
      } else if (kModes[mode] == "strict") {
        policy.set_strict(true);
        said = fsck(rule_case, policy);
      } else if (policy.configure(rule_case.rule, kModes[mode])) {
        said = fsck(rule_case, policy);  // else git dies before it says anything
      }
      EXPECT_EQ(said, rule_case.fsck[mode])
          << rule_case.rule << ", " << rule_case.special << ", " << kModes[mode];
    }
  }
}

TEST(RuleCases, HashObjectRefusesWhatGitRefuses) {
  Policy strict;
  strict.set_strict(true);
  for (const RuleCase& rule_case : kCases) {
    if (object_type(rule_case) == ObjectType::kBlob) continue;  // content means nothing there
    FindingList list;
    RuleReporter reporter(strict, list, RuleReporter::StopAt::kAnything);
    reporter.begin(object_type(rule_case), ObjectId());
    check(rule_case, reporter);
    // There every message is worded as an error.
    for (Finding& finding : list.findings()) finding.severity = Severity::kError;
    EXPECT_EQ(told(list), rule_case.hash_object) << rule_case.rule << ", " << rule_case.special;
  }
}

TEST(RuleCases, EveryRuleHasATriggerAndANearMiss) {
  // Raised elsewhere, or by nothing that can be read as an object.
  const std::set<std::string_view> exempt = {
      "emptyName",              // badTree comes first
      "unknownType",            // there are four types
      "badGpgsig",              // a header line always ends
      "badHeaderContinuation",  // likewise
      "missingType",            // likewise
      "missingTag",             // likewise
      "gitmodulesBlob",         // need the object database
      "gitmodulesMissing",
      "gitattributesBlob",
      "gitattributesMissing",
      "gitmodulesLarge",  // need a large blob: see below
      "gitattributesLarge",
  };
  std::map<std::string_view, std::array<int, 2>> seen;
  for (const RuleCase& rule_case : kCases) {
    const bool near = rule_case.special.starts_with("near:");
    const std::string needle = " " + std::string(rule_case.rule) + ": ";
    bool raised = rule_case.hash_object.find(needle) != std::string_view::npos;
    for (const std::string_view lines : rule_case.fsck) {
      raised |= lines.find(needle) != std::string_view::npos;
    }
    EXPECT_EQ(raised, !near || rule_case.special.find("strict") != std::string_view::npos)
        << rule_case.rule << ", " << rule_case.special;
    ++seen[rule_case.rule][near ? 1 : 0];
  }
  int rules = 0;
  for (const Message& row : all_messages()) {
    if (row.since != Since::kGit || row.shape != Shape::kInObject || exempt.contains(row.name)) {
      continue;
    }
    ++rules;
    EXPECT_GT(seen[row.name][0], 0) << row.name << " has no trigger";
    EXPECT_GT(seen[row.name][1], 0) << row.name << " has no near miss";
  }
  EXPECT_EQ(rules, 48);
}

TEST(RuleCases, LargeBlobs) {
  Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kBlob, ObjectId());
  kGitmodulesRules.report_large(reporter);
  kGitattributesRules.report_large(reporter);
  // Sizes alone decide: the first is refused unread, the second is a C string that ends at once.
  const std::array<std::uint8_t, 1> nul{};
  check_gitattributes_blob({nul.data(), kMaxGitattributesSize + 1}, reporter);
  check_gitattributes_blob({nul.data(), kMaxGitattributesSize}, reporter);
  EXPECT_EQ(told(list),
            "E gitmodulesLarge: .gitmodules too large to parse\n"
            "E gitattributesLarge: .gitattributes too large to parse\n"
            "E gitattributesLarge: .gitattributes too large to parse");
}

// Words for what only the engine can notice.
TEST(RuleCases, SpecialBlobsThatAreNone) {
  Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kBlob, ObjectId());
  kGitmodulesRules.report_missing(reporter);
  kGitattributesRules.report_missing(reporter);
  reporter.begin(ObjectType::kTree, ObjectId());
  kGitmodulesRules.report_non_blob(reporter);
  kGitattributesRules.report_non_blob(reporter);
  EXPECT_EQ(told(list),
            "E gitmodulesMissing: unable to read .gitmodules blob\n"
            "E gitattributesMissing: unable to read .gitattributes blob\n"
            "E gitmodulesBlob: non-blob found at .gitmodules\n"
            "E gitattributesBlob: non-blob found at .gitattributes");
}

}  // namespace
}  // namespace assay
