// The records of `assay fsck --format=jsonl`, as another parser reads them and docs/jsonl.md says.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/object/sha256.h"
#include "store/report/message.h"
#include "tests/support/json.h"
#include "tests/support/loose_files.h"
#include "tests/support/pack_builder.h"
#include "tests/support/repository_files.h"
#include "tests/support/run_tool.h"
#include "tools/fsck/json_lines.h"

namespace assay::tools {
namespace {

using nlohmann::json;
using testing::json_bytes;
using testing::json_lines;
using testing::put_object;
using testing::run_tool;

constexpr std::string_view kIdent = "A U Thor <author@example.com> 1700000000 +0000";

class FsckJsonLines : public ::testing::Test {
 protected:
  FsckJsonLines() {
    present_ = put("blob", "present\n");
    const std::string tree =
        std::string("100644 a\0", 9) + raw(present_) + std::string("100644 b\0", 9) + raw(absent_);
    tree_ = put("tree", tree);
    commit_ = put("commit", "tree " + tree_.hex() + "\nauthor " + std::string(kIdent) +
                                "\ncommitter " + std::string(kIdent) + "\n\nmessage\n");
    files_.write("refs/heads/main", commit_.hex() + "\n");
  }

  static std::string raw(const ObjectId& id) { return std::string(as_text(id.bytes())); }
  ObjectId put(std::string_view type, std::string_view content) {
    return put_object(files_.root(), type, content, "top/.git/objects");
  }
  testing::ToolResult run(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"fsck", "--format=jsonl"});
    return run_tool(options, files_.top());
  }
  std::vector<json> records(std::vector<std::string> options = {}) {
    return json_lines(run(std::move(options)).out);
  }
  static std::vector<json> of_id(const std::vector<json>& records, std::string_view id) {
    std::vector<json> result;
    for (const json& record : records) {
      if (record["record"] == "finding" && record["id"] == id) result.push_back(record);
    }
    return result;
  }

  testing::RepositoryFiles files_;
  ObjectId present_;
  ObjectId absent_ = testing::id_of(testing::with_header("blob", "absent\n"));
  ObjectId tree_;
  ObjectId commit_;
};

TEST_F(FsckJsonLines, TheHashIsNamedThatWasComputed) {
  const json sha1 = records().back();
  EXPECT_EQ("sha1", sha1["hash"]);
  EXPECT_EQ(true, sha1["collision_detection"]);
  const testing::RepositoryFiles other;
  other.write("config",
              "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n");
  const json sha256 = json_lines(run_tool({"fsck", "--format=jsonl"}, other.top()).out).back();
  EXPECT_EQ("sha256", sha256["hash"]);
  EXPECT_EQ(std::string(sha256_kernels().front().name), sha256["kernel"]);
  EXPECT_EQ(false, sha256["collision_detection"]);
  EXPECT_TRUE(sha256["stage_seconds"].contains("SHA-256"));
  const auto text = run_tool({"fsck", "--stats"}, other.top());
  EXPECT_NE(std::string::npos, text.err.find("SHA-256 ")) << text.err;
  EXPECT_EQ(std::string::npos, text.err.find("collision")) << text.err;
  EXPECT_NE(std::string::npos, run_tool({"fsck", "--stats"}, files_.top()).err.find("SHA-1 "));
}

TEST_F(FsckJsonLines, ARunItsFindingsAndASummary) {
  const testing::ToolResult result = run({"--no-explain"});
  const std::vector<json> all = json_lines(result.out);
  EXPECT_EQ(2, result.status);
  EXPECT_EQ("", result.err);
  ASSERT_EQ(4u, all.size()) << result.out;
  EXPECT_EQ("run", all[0]["record"]);
  EXPECT_EQ("assay-fsck", all[0]["schema"]);
  EXPECT_EQ(1, all[0]["version"]);
  EXPECT_TRUE(std::filesystem::equivalent(files_.git_dir(),
                                          files_.top() + "/" + std::string(all[0]["repository"])));
  EXPECT_EQ((json{{"record", "finding"},
                  {"id", "brokenLink"},
                  {"class", "integrity"},
                  {"severity", "error"},
                  {"bit", 2},
                  {"type", "blob"},
                  {"oid", absent_.hex()},
                  {"from", {{"type", "tree"}, {"oid", tree_.hex()}}},
                  {"file", ".git/objects/" + loose_file_path(tree_)},
                  {"text", "broken link from    tree " + tree_.hex() +
                               "\n              to    blob " + absent_.hex()}}),
            all[1]);
  EXPECT_EQ("missing", all[2]["id"]);
  EXPECT_EQ(absent_.hex(), all[2]["oid"]);
  EXPECT_FALSE(all[2].contains("file"));
  const json& summary = all[3];
  EXPECT_EQ("summary", summary["record"]);
  EXPECT_EQ(3, summary["objects"]);
  EXPECT_EQ(3, summary["loose_objects"]);
  EXPECT_EQ(0, summary["packs"]);
  EXPECT_LT(summary["bytes"], summary["hashed_bytes"]);
  EXPECT_EQ((json{{"fatal", 0}, {"error", 2}, {"warning", 0}, {"info", 0}}), summary["findings"]);
  EXPECT_EQ((json{{"brokenLink", 1}, {"missing", 1}}), summary["ids"]);
  EXPECT_TRUE(summary["stage_seconds"].contains("SHA-1")) << summary;
  EXPECT_EQ(true, summary["collision_detection"]);
  EXPECT_EQ(2, summary["exit"]);
}

TEST_F(FsckJsonLines, LostObjectsAreExplained) {
  for (const char* id : {"missing", "brokenLink"}) {
    const std::vector<json> record = of_id(records(), id);
    ASSERT_EQ(1u, record.size());
    EXPECT_EQ("b", record[0]["path"]);
    EXPECT_EQ(commit_.hex(), record[0]["commit"]);
    EXPECT_EQ((json{"HEAD", "refs/heads/main"}), record[0]["refs"]);
    EXPECT_EQ(2, record[0]["ref_count"]);
    EXPECT_EQ(false, record[0]["good_copy"]);
  }
  EXPECT_FALSE(of_id(records({"--no-explain"}), "missing")[0].contains("good_copy"));
}

TEST_F(FsckJsonLines, ObjectsRefsAndFilesHaveTheirFields) {
  const ObjectId commit =
      put("commit", "tree " + tree_.hex() + "\nauthor A <a@b> 01 +0000\ncommitter " +
                        std::string(kIdent) + "\n\nx\n");
  files_.write("refs/heads/garbage", "garbage\n");
  const std::vector<json> all = records();
  const auto date = of_id(all, "zeroPaddedDate");
  ASSERT_EQ(1u, date.size());
  EXPECT_EQ("cosmetic", date[0]["class"]);
  EXPECT_EQ("error", date[0]["severity"]);
  EXPECT_EQ(1, date[0]["bit"]);
  EXPECT_EQ("commit", date[0]["type"]);
  EXPECT_EQ(commit.hex(), date[0]["oid"]);
  EXPECT_EQ(".git/objects/" + loose_file_path(commit), std::string(date[0]["file"]));
  const auto ref = of_id(all, "badRefContent");
  ASSERT_EQ(1u, ref.size());
  EXPECT_EQ("refs/heads/garbage", ref[0]["ref"]);
  EXPECT_FALSE(ref[0].contains("oid"));
}

TEST_F(FsckJsonLines, SpecialBlobsAndAlternatesHaveTheirFiles) {
  const ObjectId loose = put("blob", "[submodule \"../a\"]\npath = a\n");
  testing::PackBuilder pack;
  pack.add_blob("x\n");
  const std::size_t packed = pack.add_blob("[submodule \"../b\"]\npath = b\n");
  const auto built = pack.build();
  built.write(files_.root(), "top/.git/objects/pack/pack-p");
  for (const ObjectId& id : {loose, pack.entry(packed).id}) {
    put("tree", std::string("100644 .gitmodules\0", 19) + raw(id));
  }
  files_.write("objects/info/alternates", "/not/there\n/neither/this\nhere\n");
  files_.write("objects/here/info/alternates", "/or/this\n");
  files_.write("info/grafts", "nonsense\n");
  std::map<std::string, json> of_blob;
  const std::vector<json> all = records();
  for (const json& record : of_id(all, "gitmodulesName")) of_blob[record["oid"]] = record;
  ASSERT_EQ(2u, of_blob.size());
  EXPECT_EQ(".git/objects/" + loose_file_path(loose),
            std::string(of_blob[loose.hex()].value("file", "")));
  const json& other = of_blob[pack.entry(packed).id.hex()];
  EXPECT_EQ(".git/objects/pack/pack-p.pack", other.value("file", ""));
  EXPECT_EQ(built.offsets[packed], other.value("offset", 0u));
  const std::vector<json> graft = of_id(all, "graftBad");
  ASSERT_EQ(1u, graft.size());
  EXPECT_EQ(".git/info/grafts", graft[0].value("file", ""));
  std::vector<std::string> lists;
  for (const json& record : of_id(all, "alternateIgnored"))
    lists.push_back(record.value("file", ""));
  const std::string list = ".git/objects/info/alternates";
  const std::string nested =
      std::filesystem::canonical(files_.git_dir() + "/objects/here/info/alternates").string();
  EXPECT_EQ((std::vector<std::string>{list, list, nested}), lists);
}

TEST_F(FsckJsonLines, CausesComeFirstToLast) {
  testing::put_file(files_.root(), absent_, "no zlib stream", "top/.git/objects");
  const auto corrupt = of_id(records(), "objectCorrupt");
  ASSERT_EQ(1u, corrupt.size());
  ASSERT_TRUE(corrupt[0]["cause"].is_array());
  const std::string text = run_tool({"fsck"}, files_.top()).err;
  std::size_t at = 0;
  for (const json& cause : corrupt[0]["cause"]) {
    at = text.find("error: " + std::string(cause) + "\n", at);
    ASSERT_NE(std::string::npos, at) << cause << text;
  }
  EXPECT_NE(std::string::npos, text.find("error: " + std::string(corrupt[0]["text"]) + "\n", at));
}

TEST_F(FsckJsonLines, NamesOfAnyBytesAreValidJsonAndComeBack) {
  const std::string name = "caf\xe9\x1b[31m\n\xc3\xa9";
  files_.write("objects/00/" + name, "");
  files_.write("refs/heads/x\xff", "garbage\n");
  const std::vector<json> all = records();
  const auto cruft = of_id(all, "cruftFile");
  ASSERT_EQ(1u, cruft.size());
  EXPECT_NE(std::string::npos, json_bytes(cruft[0], "text").find(name));
  const auto ref = of_id(all, "badRefContent");
  ASSERT_EQ(1u, ref.size());
  EXPECT_EQ("refs/heads/x\xff", json_bytes(ref[0], "ref"));
  EXPECT_EQ("refs/heads/x\xef\xbf\xbd", ref[0]["ref"]);
}

TEST_F(FsckJsonLines, EqualForEveryNumberOfThreads) {
  for (int i = 0; i < 300; ++i) {
    put("commit", "tree " + tree_.hex() + "\nauthor A <a@b> 0" + std::to_string(i) + " +0000\n\n");
  }
  const auto comparable = [&](const char* threads) {
    std::vector<json> all = records({threads});
    for (const char* name : {"seconds", "cpu_seconds", "stage_seconds", "sha1_share", "threads"}) {
      EXPECT_EQ(1u, all.back().erase(name)) << name;
    }
    return all;
  };
  const std::vector<json> one = comparable("-j1");
  EXPECT_LT(600u, one.size());
  for (const char* threads : {"-j2", "-j3", "-j7"}) EXPECT_EQ(one, comparable(threads)) << threads;
}

TEST_F(FsckJsonLines, TheDocumentNamesEveryFieldAndNoOther) {
  files_.write("refs/heads/x\xff", "garbage\n");
  testing::put_file(files_.root(), absent_, "no zlib stream", "top/.git/objects");
  std::vector<json> all = records();
  for (json& record : json_lines(
           run_tool({"fsck", "--format=jsonl", "--repo", "/nonexistent"}, files_.top()).out)) {
    all.push_back(std::move(record));
  }
  std::ifstream in(ASSAY_SOURCE_DIR "/docs/jsonl.schema.json");
  const json schema = json::parse(in);
  std::set<std::string> kinds;
  for (const json& record : all) {
    const std::string kind = record["record"];
    kinds.insert(kind);
    const json& definition = schema["$defs"][kind];
    for (const auto& [name, value] : record.items()) {
      EXPECT_TRUE(definition["properties"].contains(name)) << kind << " " << name;
    }
    for (const json& name : definition["required"]) {
      EXPECT_TRUE(record.contains(std::string(name))) << kind << " " << name;
    }
  }
  EXPECT_EQ((std::set<std::string>{"run", "finding", "summary", "failure"}), kinds);
  std::ifstream page(ASSAY_SOURCE_DIR "/docs/jsonl.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  for (const std::string& kind : kinds) {
    const std::size_t begin = text.find("\n### " + kind + "\n");
    ASSERT_NE(std::string::npos, begin) << kind;
    const std::string section = text.substr(begin, text.find("\n##", begin + 2) - begin);
    for (const auto& [name, value] : schema["$defs"][kind]["properties"].items()) {
      if (name == "record" || name.ends_with("_base64")) continue;
      EXPECT_NE(std::string::npos, section.find("`" + name + "`")) << kind << " " << name;
    }
  }
}

TEST_F(FsckJsonLines, WhatCannotBeCheckedIsAFailure) {
  const auto nowhere = run_tool({"fsck", "--format=jsonl", "--repo", "/nonexistent"}, files_.top());
  const std::vector<json> all = json_lines(nowhere.out);
  EXPECT_EQ(128, nowhere.status);
  EXPECT_TRUE(nowhere.err.starts_with("fatal: ")) << nowhere.err;
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ("failure", all[0]["record"]);
  EXPECT_EQ("configBad", all[0]["id"]);
  EXPECT_EQ(128, all[0]["exit"]);
  EXPECT_EQ("fatal: " + std::string(all[0]["text"]) + "\n", nowhere.err);
}

TEST_F(FsckJsonLines, SeveralRepositoriesFollowEachOther) {
  std::vector<std::string> kinds;
  for (const json& record : records({"--repo", ".", "--repo", "."}))
    kinds.push_back(record["record"]);
  EXPECT_EQ((std::vector<std::string>{"run", "finding", "finding", "summary", "run", "finding",
                                      "finding", "summary"}),
            kinds);
}

TEST_F(FsckJsonLines, OtherFormatsAreRefused) {
  const auto result = run_tool({"fsck", "--format=xml"}, files_.top());
  EXPECT_EQ(129, result.status);
  EXPECT_EQ("error: format expects text or jsonl\n", result.err);
  EXPECT_EQ(run_tool({"fsck"}, files_.top()).out,
            run_tool({"fsck", "--format=jsonl", "--format=text"}, files_.top()).out);
}

TEST(JsonRecords, EveryMessageHasItsClassAndSeverity) {
  for (const Message& row : all_messages()) {
    Finding finding;
    finding.id = row.id;
    finding.severity = row.severity;
    finding.bit = row.bit;
    const json record = json::parse(json_finding(finding));
    EXPECT_EQ(row.name, std::string(record["id"]));
    EXPECT_EQ(row.severity >= Severity::kError && row.bit != ExitBit::kBitNone,
              record.contains("bit"));
    if (row.bit == ExitBit::kBitDies) {
      EXPECT_EQ(128, record["bit"]);
    }
  }
}

}  // namespace
}  // namespace assay::tools
