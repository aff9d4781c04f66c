#include "store/fsck/rules/gitmodules_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "store/fsck/rules/submodule_url.h"

namespace assay {
namespace {

using namespace std::string_view_literals;

std::string told(std::string_view blob) {
  const Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kBlob, ObjectId());
  check_gitmodules_blob(as_bytes(blob), reporter);
  std::string names;
  for (const Finding& finding : list.findings())
    names += std::string(message(finding.id).name) + " ";
  return names;
}

// git's fsck stops reading at a byte FF; the readers of the file in a worktree do not.
TEST(GitmodulesRules, NothingHidesBehindAByteFF) {
  EXPECT_EQ(told("[submodule \"a\"]\n\tpath = x\xff\n\turl = -x\n"),
            "gitmodulesUrl gitmodulesParse ");
  EXPECT_EQ(told("[submodule \"a\"]\n# \xff\n\turl = -x\n"), "gitmodulesUrl gitmodulesParse ");
  EXPECT_EQ(told("\xef\xbb\xbf[submodule \"a\"]\n\turl = -x\n"), "gitmodulesUrl gitmodulesParse ");
  EXPECT_EQ(told("[submodule \"a\"]\n\tpath = \xfe\n"), "");
}

// git hands names and values around as C strings.
TEST(GitmodulesRules, NulEndsNamesAndValues) {
  EXPECT_EQ(told("[submodule \"..\0x\"]\n\tpath = -x\n"sv), "");
  EXPECT_EQ(told("[submodule \"a\"]\n\turl = http://h\0/..\n"sv), "");
  EXPECT_EQ(told("[submodule \"a\"]\n\turl = -\0\n"sv), "gitmodulesUrl ");
}

TEST(GitmodulesRules, EveryTruncation) {
  const std::string blob =
      "[submodule \"a/../b\"]\n\tpath = \"-x\"\n\turl = http://h/%0a # y\n\tupdate = !z\n";
  EXPECT_EQ(told(blob),
            "gitmodulesName gitmodulesPath gitmodulesName gitmodulesUrl gitmodulesName "
            "gitmodulesUpdate ");
  for (std::size_t size = 0; size < blob.size(); ++size) {
    const std::string said = told(blob.substr(0, size));
    EXPECT_LE(said.size(), 100U);
    EXPECT_EQ(said.find("gitmodulesUpdate") != std::string::npos, size + 2 >= blob.size()) << size;
  }
}

TEST(GitmodulesRules, SubmoduleNames) {
  for (const std::string_view name : {"a", "...", "a..b", "..a/b..", "a/.b", "a\\b"}) {
    EXPECT_TRUE(submodule_name_is_safe(name)) << name;
  }
  for (const std::string_view name :
       {"", "..", "../a", "a/..", "a/../b", "..\\a", "a\\..", "a/..\\b"}) {
    EXPECT_FALSE(submodule_name_is_safe(name)) << name;
  }
}

// Urls are covered by rule_cases.inc; here is what a config file cannot hold.
TEST(GitmodulesRules, SubmoduleUrls) {
  EXPECT_TRUE(submodule_url_is_safe(""));
  EXPECT_FALSE(submodule_url_is_safe("http://h/a\nb"));
  EXPECT_TRUE(submodule_url_is_safe("ssh://h/a\nb"));
  EXPECT_FALSE(submodule_url_is_safe("./a\n:b"));
}

}  // namespace
}  // namespace assay
