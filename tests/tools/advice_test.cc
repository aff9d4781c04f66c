// The hints at the end of a run.
#include "tools/fsck/advice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/os/system.h"
#include "tests/support/loose_files.h"
#include "tests/support/repository_files.h"
#include "tests/support/run_tool.h"

namespace assay::tools {
namespace {

Finding found(MessageId id, std::string file = "", char oid = 0) {
  Finding finding;
  finding.id = id;
  finding.severity = message(id).severity;
  finding.file = std::move(file);
  if (oid != 0) finding.oid = ObjectId::from_hex(std::string(40, oid), HashKind::kSha1);
  return finding;
}

std::string last_line(const std::vector<Finding>& findings) {
  std::string text = advice(findings);
  EXPECT_TRUE(text.ends_with('\n'));
  text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void expect_hint(std::string_view words, const std::vector<Finding>& findings) {
  const std::string line = last_line(findings);
  EXPECT_TRUE(line.starts_with("hint: ")) << line;
  EXPECT_NE(std::string::npos, line.find(words)) << line;
}

TEST(Advice, NothingToSay) {
  EXPECT_EQ("", advice({}));
  EXPECT_EQ("", advice(std::vector<Finding>{found(MessageId::kDangling)}));
}

TEST(Advice, TheWorstDecides) {
  const Finding cosmetic = found(MessageId::kBadDate);
  const Finding lost = found(MessageId::kMissing, "", 'a');
  const Finding again = found(MessageId::kPackedObjectCorrupt, "p", 'a');
  expect_hint("only warnings", {found(MessageId::kPackNameMismatch)});
  expect_hint("fsck.badDate=warn", {cosmetic, found(MessageId::kPackNameMismatch)});
  expect_hint("git makes anew", {cosmetic, found(MessageId::kCommitGraphBad)});
  expect_hint("explains badRefContent",
              {found(MessageId::kBadRefContent), found(MessageId::kCommitGraphBad)});
  expect_hint("1 object damaged or missing", {lost, again, found(MessageId::kBadRefContent)});
  expect_hint("2 objects damaged or missing", {lost, found(MessageId::kMissing, "", 'b')});
  expect_hint("hostile", {lost, found(MessageId::kPackGap)});
  Finding unread = found(MessageId::kPackBad);
  unread.text = "x: " + os::Error{EIO}.text();
  expect_hint("system's log", {lost, unread});
  unread.text = "x: " + os::Error{EACCES}.text();
  expect_hint("another user", {lost, unread});
  expect_hint("meanwhile", {found(MessageId::kPackChanged)});
}

TEST(Advice, FloodsAreCountedAndFilesGrouped) {
  std::vector<Finding> findings(20, found(MessageId::kBadDate, "x"));
  EXPECT_EQ(std::string::npos, advice(findings).find("times"));
  findings.push_back(found(MessageId::kBadDate));
  for (int i = 0; i < 3; ++i) findings.push_back(found(MessageId::kEntryUnpackable, "b\x1b"));
  for (int i = 0; i < 4; ++i) findings.push_back(found(MessageId::kEntryUnpackable, "a"));
  findings.push_back(found(MessageId::kEntryUnpackable, "c"));
  // Where the parents of broken links lie, nothing is wrong.
  Finding link = found(MessageId::kBrokenLink, "sound", 'a');
  link.from = link.oid;
  findings.insert(findings.end(), 5, link);
  const std::string text = advice(findings);
  EXPECT_TRUE(
      text.starts_with("hint: 21 times badDate (cosmetic)\n"
                       "hint: 4 of the findings come from a\n"
                       "hint: 3 of the findings come from b?\n"
                       "hint: "))
      << text;
  for (char name = 'd'; name < 'k'; ++name) {
    findings.insert(findings.end(), 2, found(MessageId::kPackBad, std::string(1, name)));
  }
  EXPECT_NE(std::string::npos, advice(findings).find("hint: ... and from 4 more files\n"));
}

class AdviceRun : public ::testing::Test {
 protected:
  AdviceRun() {
    const std::string tree = std::string("100644 a b\0", 11) + std::string(as_text(lost_.bytes()));
    const ObjectId top = testing::put_object(files_.root(), "tree", tree, "top/.git/objects");
    commit_ = testing::put_object(
        files_.root(), "commit",
        "tree " + top.hex() + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n",
        "top/.git/objects");
    files_.write("refs/heads/main", commit_.hex() + "\n");
  }
  testing::ToolResult run(std::vector<std::string> options) {
    options.insert(options.begin(), "fsck");
    return testing::run_tool(options, files_.top());
  }
  testing::RepositoryFiles files_;
  ObjectId lost_ = testing::id_of(testing::with_header("blob", "lost"));
  ObjectId commit_;
};

TEST_F(AdviceRun, OnlyWhenAskedForOrOnATerminal) {
  EXPECT_EQ("", run({}).err);
  const auto advised = run({"--advice"});
  EXPECT_TRUE(advised.err.starts_with("hint: 1 object damaged or missing: ")) << advised.err;
  EXPECT_EQ(run({}).out, advised.out);
  EXPECT_EQ("", run({"--advice", "--no-advice"}).err);
}

TEST_F(AdviceRun, ExplainsWhatIsLost) {
  const auto explained = run({"--explain"});
  EXPECT_EQ("hint: " + lost_.hex() + " is a b in commit " + commit_.hex() +
                ", reached from HEAD and 1 more ref; no good copy\n",
            explained.err);
  EXPECT_EQ(run({}).out, explained.out);
}

}  // namespace
}  // namespace assay::tools
