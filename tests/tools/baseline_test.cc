// Baselines: which findings are known, what a file may hold, what a run with one says.
#include "tools/fsck/baseline.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/support/json.h"
#include "tests/support/loose_files.h"
#include "tests/support/repository_files.h"
#include "tests/support/run_tool.h"
#include "tools/fsck/finding_key.h"
#include "tools/fsck/json_lines.h"

namespace assay::tools {
namespace {

using nlohmann::json;
using testing::json_lines;
using testing::run_tool;

ObjectId some_id(char digit) {
  return *ObjectId::from_hex(std::string(40, digit), HashKind::kSha1);
}

Finding finding(MessageId id) {
  Finding result;
  result.id = id;
  result.severity = Severity::kError;
  return result;
}

Baseline of(const std::string& text) {
  auto baseline = Baseline::parse(text, "known");
  EXPECT_TRUE(baseline.has_value()) << baseline.error().text;
  return baseline ? std::move(*baseline) : Baseline();
}

std::string refusal(const std::string& text) {
  const auto baseline = Baseline::parse(text, "known");
  EXPECT_FALSE(baseline.has_value()) << text.substr(0, 100);
  return baseline ? "" : baseline.error().text;
}

// Whether a baseline that holds `one` knows `other`.
bool same(const Finding& one, const Finding& other) { return of(json_finding(one)).knows(other); }

TEST(Baseline, KnowsWhatWasPrinted) {
  Finding full = finding(MessageId::kPackGap);
  full.oid = some_id('a');
  full.file = "a\xff\x01 b";
  full.ref = "refs/x\xfe";
  full.offset = 77;
  full.text = "gap\n\"\xc3\xa4";
  full.causes = {"one", "two"};
  EXPECT_TRUE(same(full, full));
  EXPECT_FALSE(of("").knows(full));
  for (const Message& row : all_messages()) {
    EXPECT_TRUE(same(finding(row.id), finding(row.id)));
    EXPECT_FALSE(same(full, finding(row.id)));
  }
}

TEST(Baseline, WhatAnObjectSaysIsKnownWhereverItLies) {
  Finding loose = finding(MessageId::kBadDate);
  loose.oid = some_id('a');
  loose.file = ".git/objects/aa/aaaa";
  Finding packed = loose;
  packed.file = "/srv/x/objects/pack/p.pack";
  packed.offset = 12;
  EXPECT_TRUE(same(loose, packed));
  packed.oid = some_id('b');
  EXPECT_FALSE(same(loose, packed));
}

TEST(Baseline, DamageIsKnownOnlyInItsFile) {
  Finding damaged = finding(MessageId::kPackedObjectCorrupt);
  damaged.oid = some_id('a');
  damaged.file = ".git/objects/pack/p.pack";
  Finding moved = damaged;
  moved.file = "/elsewhere/of/all.git/objects/pack/p.pack";
  EXPECT_TRUE(same(damaged, moved));
  moved.file = ".git/objects/pack/q.pack";
  EXPECT_FALSE(same(damaged, moved));
}

TEST(Baseline, LinksRefsAndTextsTellFindingsApart) {
  Finding link = finding(MessageId::kBrokenLink);
  link.oid = some_id('a');
  link.from = some_id('b');
  Finding other = link;
  other.text = "broken link from tree b (HEAD:x)";
  EXPECT_TRUE(same(link, other));
  other.from = some_id('c');
  EXPECT_FALSE(same(link, other));

  Finding ref = finding(MessageId::kInvalidRefPointer);
  ref.ref = "refs/heads/x";
  ref.oid = some_id('a');
  Finding other_ref = ref;
  other_ref.ref = "refs/heads/y";
  EXPECT_FALSE(same(ref, other_ref));

  Finding graph = finding(MessageId::kCommitGraphBad);
  graph.file = "./objects/info/commit-graph";
  graph.text = "bad: ./objects/info/commit-graph and ./objects/info/commit-graph";
  Finding elsewhere = graph;
  elsewhere.file = "/x/objects/info/commit-graph";
  elsewhere.text = "bad: /x/objects/info/commit-graph and /x/objects/info/commit-graph";
  EXPECT_TRUE(same(graph, elsewhere));
  elsewhere.text = "worse";
  EXPECT_FALSE(same(graph, elsewhere));

  Finding gap = finding(MessageId::kPackGap);
  gap.offset = 12;
  Finding other_gap = gap;
  other_gap.offset = 13;
  EXPECT_FALSE(same(gap, other_gap));
}

TEST(Baseline, NeverHidesThatARunIsInconclusive) {
  Finding changing = finding(MessageId::kRepositoryChanging);
  changing.bit = ExitBit::kBitInconclusive;
  EXPECT_FALSE(same(changing, changing));
  const testing::TemporaryDirectory root;
  EXPECT_TRUE(write_baseline(os::System::real(), root.path("known"), ".", {changing}));
  EXPECT_EQ(json_run("."), root.read("known"));
}

TEST(Baseline, PathsCountFromTheRepositoryOn) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {".git/objects/pack/x.pack", "objects/pack/x.pack"},
      {"/srv/objects/a.git/objects/12/34", "objects/12/34"},
      {".git/index", "index"},
      {"/srv/refs/a.git/index", "index"},
      {"/srv/a.git/worktrees/w/index", "worktrees/w/index"},
      {"packed-refs", "packed-refs"},
      {".git/refs/heads/main", "refs/heads/main"},
      {"/x/logs/HEAD", "HEAD"},
      {"/x/info/grafts", "grafts"},
      {"objects/", "objects/"},
  };
  for (const auto& [path, portable] : cases) EXPECT_EQ(portable, portable_path(path)) << path;
}

TEST(Baseline, PassesOverWhatIsNoFinding) {
  EXPECT_EQ(0u, of("\n# a comment\n\r\n{\"record\":\"summary\",\"ids\":{\"a\":[1,2.5,null]}}\n"
                   "{\"record\":\"run\",\"version\":1}\n{\"record\":\"of the future\"}")
                    .size());
  EXPECT_EQ(1u,
            of("{\"record\":\"finding\",\"id\":\"x\"}\n{\"id\":\"x\",\"record\":\"finding\"}\r\n")
                .size());
}

TEST(Baseline, RefusesHostileFilesWithTheLine) {
  EXPECT_TRUE(refusal("\n\ngarbage\n").starts_with("baseline known:3: no JSON, at byte "));
  EXPECT_TRUE(refusal("{\"record\":\"finding\"").starts_with("baseline known:1: no JSON"));
  EXPECT_TRUE(
      refusal("{\"record\":\"finding\",\"id\":\"\xff\"}").starts_with("baseline known:1: "));
  EXPECT_TRUE(refusal("{\"a\":\"\\ud800\"}").starts_with("baseline known:1: no JSON"));
  EXPECT_TRUE(refusal("{} {}").starts_with("baseline known:1: no JSON"));
  EXPECT_EQ("baseline known:1: no JSON object", refusal("[]"));
  EXPECT_EQ("baseline known:1: no JSON object", refusal("\"text\""));
  EXPECT_EQ("baseline known:1: no JSON object", refusal("7"));
  EXPECT_EQ("baseline known:2: no record of assay fsck --format=jsonl", refusal("#\n{}\n"));
  EXPECT_EQ("baseline known:1: a finding without id", refusal("{\"record\":\"finding\"}"));
  EXPECT_EQ("baseline known:1: version 2 of the schema is not known",
            refusal("{\"record\":\"run\",\"version\":2}"));
  EXPECT_EQ("baseline known:1: nested too deep", refusal("{\"a\":" + std::string(1000000, '[')));
  EXPECT_EQ("baseline known:2: longer than 16777216 bytes",
            refusal("\n{\"a\":\"" + std::string(Baseline::kMaxLineSize, 'x') + "\"}\n"));
  for (const std::string bad : {"YQ", "Y===", "YQ=a", "=YQ=", "Y Q=", "YWI=YWI="}) {
    EXPECT_EQ("baseline known:1: ref_base64 is no base64",
              refusal("{\"record\":\"finding\",\"id\":\"x\",\"ref_base64\":\"" + bad + "\"}"));
  }
}

TEST(Baseline, NamesWhatIsGoneInTheOrderOfTheFile) {
  Finding one = finding(MessageId::kMissing);
  one.oid = some_id('b');
  Finding two = finding(MessageId::kBadRefContent);
  two.ref = "refs/heads/x";
  Finding three = finding(MessageId::kPackBad);
  three.file = "./objects/pack/x.pack";
  Baseline baseline = of(json_finding(three) + json_finding(one) + json_finding(two));
  EXPECT_TRUE(baseline.knows(one));
  EXPECT_EQ(
      (std::vector<std::string>{"packBad ./objects/pack/x.pack", "badRefContent refs/heads/x"}),
      baseline.gone());
}

class BaselineRun : public ::testing::Test {
 protected:
  BaselineRun() {
    tree_ = put("tree", "");
    put_bad_commit("01");
  }
  ObjectId put(std::string_view type, std::string_view content) {
    return testing::put_object(files_.root(), type, content, "top/.git/objects");
  }
  ObjectId put_bad_commit(const std::string& date) {
    return put("commit", "tree " + tree_.hex() + "\nauthor A <a@b> " + date +
                             " +0000\ncommitter A <a@b> 1 +0000\n\nx\n");
  }
  testing::ToolResult run(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"fsck", "--no-dangling"});
    return run_tool(options, files_.top());
  }
  testing::RepositoryFiles files_;
  ObjectId tree_;
};

TEST_F(BaselineRun, KnownFindingsAreSilentAndNewOnesFail) {
  const auto written = run({"--write-baseline", "known"});
  EXPECT_EQ(1, written.status);
  EXPECT_EQ(run().err, written.err);
  EXPECT_FALSE(std::filesystem::exists(files_.top() + "/known.new"));

  const auto known = run({"--baseline", "known"});
  EXPECT_EQ(0, known.status);
  EXPECT_EQ("notice: No default references\nbaseline known: 1 known finding, none new, none gone\n",
            known.err);

  const ObjectId second = put_bad_commit("02");
  const auto fresh = run({"--baseline", "known"});
  EXPECT_EQ(1, fresh.status);
  EXPECT_EQ("error in commit " + second.hex() +
                ": zeroPaddedDate: invalid author/committer line - zero-padded date\n"
                "notice: No default references\n"
                "baseline known: 1 known finding, 1 new, none gone\n",
            fresh.err);
}

TEST_F(BaselineRun, AnEntryThatIsGoneIsMentionedAndNoError) {
  EXPECT_EQ(1, run({"--write-baseline=known"}).status);
  std::filesystem::remove_all(files_.git_dir() + "/objects");
  std::filesystem::create_directories(files_.git_dir() + "/objects");
  const auto result = run({"--baseline=known"});
  EXPECT_EQ(0, result.status);
  EXPECT_NE(std::string::npos, result.err.find("no known findings, none new, 1 gone\n"))
      << result.err;
  EXPECT_NE(std::string::npos, result.err.find("gone: zeroPaddedDate ")) << result.err;
}

TEST_F(BaselineRun, JsonLinesAreABaselineAndSayWhatIsKnown) {
  files_.root().write("top/known", run({"--format=jsonl"}).out);
  put_bad_commit("02");
  const auto result = run({"--format=jsonl", "--baseline=known", "-j2"});
  const std::vector<json> all = json_lines(result.out);
  EXPECT_EQ(1, result.status);
  ASSERT_EQ(3u, all.size()) << result.out;
  EXPECT_EQ("zeroPaddedDate", all[1]["id"]);
  EXPECT_EQ((json{{"file", "known"}, {"known", 2}, {"new", 1}, {"gone", json::array()}}),
            all[2]["baseline"]);
  EXPECT_EQ(1, all[2]["findings"]["error"]);
  EXPECT_EQ(1, all[2]["exit"]);
}

TEST_F(BaselineRun, TheConfigurationNamesOne) {
  EXPECT_EQ(1, run({"--write-baseline", "known"}).status);
  for (const std::string key : {"fsck.baseline", "assay.baseline"}) {
    EXPECT_EQ(0, run_tool({"-c", key + "=known", "fsck"}, files_.top()).status) << key;
    EXPECT_EQ(1, run_tool({"-c", key + "=known", "fsck", "--baseline="}, files_.top()).status);
  }
  files_.write("config", "[fsck]\n\tbaseline = known\n");
  EXPECT_EQ(0, run().status);
  files_.write("config", "[fsck]\n\tbaseline = absent\n");
  EXPECT_EQ(128, run().status);
  EXPECT_EQ("fatal: cannot read baseline absent: No such file or directory\n", run().err);
  // A repository may not make us wait or follow a link.
  ASSERT_EQ(0, mkfifo((files_.top() + "/pipe").c_str(), 0600));
  files_.write("config", "[fsck]\n\tbaseline = pipe\n");
  EXPECT_EQ(128, run().status);
}

TEST_F(BaselineRun, ABadBaselineEndsBeforeTheRun) {
  files_.root().write("top/bad", "\ngarbage\n");
  const auto result = run({"--baseline=bad"});
  EXPECT_EQ(128, result.status);
  EXPECT_TRUE(result.err.starts_with("fatal: baseline bad:2: no JSON, at byte ")) << result.err;
  const auto lines = run({"--baseline=bad", "--format=jsonl", "--exit-code=simple"});
  EXPECT_EQ(2, lines.status);
  EXPECT_EQ("failure", json_lines(lines.out).back()["record"]);
}

TEST_F(BaselineRun, WrittenAgainItIsTheSame) {
  EXPECT_EQ(1, run({"--write-baseline=one"}).status);
  EXPECT_EQ(0, run({"--baseline=one", "--write-baseline=two", "-j1"}).status);
  EXPECT_EQ(files_.root().read("top/one"), files_.root().read("top/two"));
  EXPECT_EQ(128, run({"--write-baseline=no/such/directory"}).status);
}

TEST_F(BaselineRun, OfOneRepositoryOnly) {
  for (const char* option : {"--baseline=x", "--write-baseline=x"}) {
    const auto result = run({option, "--repo", ".", "--repo", "."});
    EXPECT_EQ(129, result.status);
    EXPECT_NE(std::string::npos, result.err.find("one repository")) << result.err;
  }
}

}  // namespace
}  // namespace assay::tools
