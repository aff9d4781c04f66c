// `assay bench` as a user has it. Turns are as short as they can be: nothing here looks at speed.

#include "tools/bench/bench.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "sha1/kernel.h"
#include "tests/support/run_tool.h"
#include "tools/bench/implementation.h"

namespace assay::tools {
namespace {

using testing::run_tool;
using testing::TemporaryDirectory;
using testing::ToolResult;

ToolResult bench(std::vector<std::string> arguments, const TemporaryDirectory& directory = {}) {
  arguments.insert(arguments.begin(), "bench");
  return run_tool(arguments, directory.path());
}

std::vector<std::string> names_in(const std::string& json) {
  std::vector<std::string> names;
  const auto root = nlohmann::json::parse(json, nullptr, false);
  if (!root.contains("benchmarks")) return names;
  for (const nlohmann::json& row : root["benchmarks"]) {
    names.push_back(row.value("name", ""));
    EXPECT_GT(row.value("bytes_per_second", 0.0), 0) << names.back();
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(BenchTest, ListsKernelsAndRivals) {
  const ToolResult result = bench({"--list"});
  EXPECT_EQ(result.status, 0);
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    const std::regex line("(^|\n)" + std::string(kernels.name) + " +[0-9]+  (" +
                          (&kernels == &sha1::best() ? "chosen"
                           : sha1::usable(kernels)   ? "usable"
                                                     : "unusable") +
                          ") ");
    EXPECT_TRUE(std::regex_search(result.out, line)) << kernels.name << "\n" << result.out;
  }
  for (const char* rival : {"rival openssl_evp", "rival libgcrypt", "rival nettle", "RC4:"}) {
    EXPECT_NE(result.out.find(rival), std::string::npos) << rival;
  }
}

TEST(BenchTest, SelfTestFindsAllWell) {
  const ToolResult result = bench({"--self-test"});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_TRUE(result.out.ends_with("all is well\n")) << result.out;
  EXPECT_NE(result.out.find("sees the known collision, and no other"), std::string::npos);
  EXPECT_NE(result.out.find("rc4/generic"), std::string::npos);
}

TEST(BenchTest, Sha1RowsHaveTheNamesThatOthersReadThemBy) {
  const ToolResult result = bench({"sha1", "--size", "64,1k", "--size=mix_250", "--rounds", "2",
                                   "--turn", "1", "--format", "json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto names = names_in(result.out);
  const std::regex shape("sha1/(one|batch)/[a-z0-9_]+/(detect|plain)/(64|1024|mix_250)");
  for (const std::string& name : names) EXPECT_TRUE(std::regex_match(name, shape)) << name;
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    for (const std::string mode : {"one", "batch"}) {
      for (const std::string detect : {"detect", "plain"}) {
        const std::string name =
            "sha1/" + mode + "/" + std::string(kernels.name) + "/" + detect + "/1024";
        // Old code is measured as it was: without detection.
        const bool expected = sha1::usable(kernels) && (mode == "one" || kernels.lanes > 0) &&
                              (mode == "batch" || detect == "plain" || !is_for_comparison(kernels));
        EXPECT_EQ(contains(names, name), expected) << name;
      }
    }
  }
}

TEST(BenchTest, Sha1RowsCanBeChosen) {
  const auto names =
      names_in(bench({"sha1", "--kernel", "portable", "--detect", "on", "--size", "8", "--rounds",
                      "1", "--turn", "1", "--no-rivals", "--format=json"})
                   .out);
  EXPECT_EQ(names, std::vector<std::string>{"sha1/one/portable/detect/8"});
}

TEST(BenchTest, BatchLeavesOutSingleMessagesOfOurOwn) {
  for (const std::string& name : names_in(bench({"sha1", "--batch", "--size", "64", "--rounds", "1",
                                                 "--turn", "1", "--no-rivals", "--format=json"})
                                              .out)) {
    EXPECT_TRUE(name.starts_with("sha1/batch/")) << name;
  }
}

TEST(BenchTest, Sha1TextHasTheTablesOfOldWithDigestsCompared) {
  const ToolResult result =
      bench({"sha1", "--kernel", "portable", "--size", "100", "--rounds", "2", "--turn", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::regex_search(
      result.out,
      std::regex("\n100 bytes +TIME\\[s\\] +SPEED\\[MB/s\\] +ns/op +x EVP digests\n"
                 "one   portable +plain +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.-]+ +equal\n")))
      << result.out;
  EXPECT_EQ(result.out.find("DIFFER"), std::string::npos);
}

// The number of rounds of the historical programs: so many hashes at least.
TEST(BenchTest, ManyRoundsAreManyHashes) {
  const ToolResult result =
      bench({"sha1", "--kernel", "portable", "--detect", "off", "--size", "8", "--no-rivals",
             "--rounds", "200000", "--turn", "1", "--format=json"});
  const auto root = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(root.is_object()) << result.err;
  const nlohmann::json& row = root.at("benchmarks").at(0);
  EXPECT_GE(row.value("iterations", 0), 200'000);
  EXPECT_EQ(row.at("assay_rounds_ns").size(), 100u);
}

TEST(BenchTest, WrongUseEndsWith129) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"nothing"},
                                             {"sha1", "--kernel", "sha0"},
                                             {"sha1", "--size", "big"},
                                             {"sha1", "--size", "2g"},
                                             {"sha1", "--detect", "maybe"},
                                             {"sha1", "--rounds", "0"},
                                             {"sha1", "--format", "xml"},
                                             {"sha1", "extra"},
                                             {"rc4", "--size", "0"},
                                             {"rc4", "extra"},
                                             {"fsck"},
                                             {"fsck", "--rounds", "x", "."},
                                             {"fsck", "--kernel", "sha0", "."},
                                             {"compare", "one"},
                                             {"compare", "--fail-above", "-1", "a", "b"}}) {
    EXPECT_EQ(bench(arguments).status, 129) << (arguments.empty() ? "" : arguments.back());
  }
}

TEST(BenchTest, Rc4MeasuresEveryKernel) {
  const ToolResult text = bench({"rc4", "--rounds", "2", "--turn", "1"});
  EXPECT_EQ(text.status, 0);
  for (const char* size : {"128", "1024", "8192"}) {
    const std::regex line("\nrc4/" + std::string(size) + " +[0-9.]+ +[0-9.]+ +(~|[-+][0-9.]+%)");
    EXPECT_TRUE(std::regex_search(text.out, line)) << size << "\n" << text.out;
  }
  EXPECT_TRUE(text.out.ends_with("all streams are equal\n")) << text.out;
  const ToolResult go =
      bench({"rc4", "--size", "64", "--rounds", "3", "--turn", "1", "--format=gobench"});
  const std::regex line("BenchmarkRc4/generic/64 \t[0-9]+ \t[0-9.e+]+ ns/op \t[0-9.e+]+ MB/s\n");
  EXPECT_EQ(std::distance(std::sregex_iterator(go.out.begin(), go.out.end(), line),
                          std::sregex_iterator()),
            3)
      << go.out;
}

TEST(BenchTest, ComparesFilesAndFailsAboveALimit) {
  const TemporaryDirectory files;
  const auto report = [](int time) {
    std::string text;
    for (int i = 0; i < 5; ++i) text += "BenchmarkX 1 " + std::to_string(time + i) + " ns/op\n";
    return text;
  };
  files.write("old", report(100));
  files.write("new", report(150));
  EXPECT_EQ(bench({"compare", "old", "new"}, files).status, 0);
  const ToolResult slower = bench({"compare", "--fail-above", "10", "old", "new"}, files);
  EXPECT_EQ(slower.status, 1);
  EXPECT_NE(slower.err.find("error: x: slower by 49.02 %"), std::string::npos) << slower.err;
  EXPECT_EQ(bench({"compare", "--fail-above=50", "old", "new"}, files).status, 0);
  EXPECT_EQ(bench({"compare", "--fail-above=10", "new", "old"}, files).status, 0);

  files.write("other", "BenchmarkY 1 1 ns/op\n");
  files.write("garbage", "nothing\n");
  EXPECT_EQ(bench({"compare", "old", "other"}, files).status, 128);
  EXPECT_EQ(bench({"compare", "old", "garbage"}, files).status, 128);
  EXPECT_EQ(bench({"compare", "absent", "new"}, files).status, 128);
  EXPECT_EQ(bench({"compare", "old", "."}, files).status, 128);
}

// Whole runs, with scripts in place of the programs.
class BenchFsckTest : public ::testing::Test {
 protected:
  void program(const std::string& name, const std::string& body) {
    files_.write(name, "#!/bin/sh\n" + body);
    ::chmod(files_.path(name).c_str(), 0755);
  }
  ToolResult bench_fsck(std::vector<std::string> options) {
    std::vector<std::string> arguments = {
        "fsck", "--assay", files_.path("assay"), "--against", files_.path("git"), "--rounds", "2"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(files_.path());
    return bench(arguments, files_);
  }
  // An assay that says what it was run with, and a profile.
  static constexpr const char* kAssay =
      "echo \"$ASSAY_SHA1_KERNEL $*\" >>calls\n"
      "echo missing blob 12; echo 'broken link from tree 1'; echo '   to blob 12'\n"
      "case \"$*\" in *--profile*)\n"
      "echo 'SHA-1  0.500  25.0 %' >&2; echo 'waiting 0.400 20.0 %' >&2; echo 'workers 2.000' >&2\n"
      "echo 'objects 10, bytes 1000, hashed bytes 1100, packs 1, loose objects 0' >&2;; esac\n"
      "exit 2\n";
  static constexpr const char* kGit =
      "case $1 in --version) echo git version 9.9; exit;; esac\n"
      "echo 'broken link from tree 1'; echo '   to blob 12'; echo missing blob 12\n"
      "exit 2\n";

  TemporaryDirectory files_;
};

TEST_F(BenchFsckTest, ComparesVerdictsThenTimes) {
  program("assay", kAssay);
  program("git", kGit);
  const ToolResult result = bench_fsck({"--no-shares", "-j", "2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("git version 9.9"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("the same: exit status 2, 2 lines of findings"), std::string::npos)
      << result.out;
  EXPECT_TRUE(std::regex_search(
      result.out, std::regex("\nassay +[0-9.]+ +[0-9.]+ +[0-9.]+ +1\\.00 +[0-9.]+ +[0-9.]+\n")))
      << result.out;
  // Once for the verdict, then two rounds.
  EXPECT_EQ(files_.read("calls"), std::string(" fsck --full --no-progress -j 2\n") +
                                      " fsck --full --no-progress -j 2\n" +
                                      " fsck --full --no-progress -j 2\n");
}

TEST_F(BenchFsckTest, ShowsTheShareOfSha1ForEveryUsableKernel) {
  program("assay", kAssay);
  program("git", kGit);
  const ToolResult result = bench_fsck({});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string calls = files_.read("calls");
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    const std::string name(kernels.name);
    const bool usable = sha1::usable(kernels);
    // 0.5 of the 1.6 seconds that were not waited.
    const std::regex line("\n" + name + "/(plain|detect) .* 31\\.[23] %");
    EXPECT_EQ(std::regex_search(result.out, line), usable) << name << "\n" << result.out;
    const std::string detecting = name + " fsck --full --no-progress --profile --no-stats\n";
    const std::string plain =
        name + " fsck --full --no-progress --profile --no-stats --no-collision-detection\n";
    EXPECT_EQ(calls.find(detecting) != std::string::npos, usable && !is_for_comparison(kernels))
        << calls;
    EXPECT_EQ(calls.find(plain) != std::string::npos, usable) << calls;
  }
}

TEST_F(BenchFsckTest, VerdictsThatDifferFailTheRun) {
  program("assay", kAssay);
  program("git", "echo missing blob 12; exit 2");
  const ToolResult findings = bench_fsck({"--no-shares"});
  EXPECT_EQ(findings.status, 1);
  EXPECT_NE(findings.err.find("FINDINGS DIFFER"), std::string::npos) << findings.err;
  program("git", "exit 0");
  const ToolResult status = bench_fsck({"--no-shares"});
  EXPECT_EQ(status.status, 1);
  EXPECT_NE(status.err.find("EXIT STATUS DIFFERS: 2 and 0"), std::string::npos) << status.err;
}

TEST_F(BenchFsckTest, BrokenLinksMayComeFromElsewhere) {
  program("assay", kAssay);
  program("git",
          "echo 'broken link from tree 9'; echo '   to blob 12'; echo missing blob 12; exit 2");
  const ToolResult result = bench_fsck({"--no-shares"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("the same but for the objects that broken links come from"),
            std::string::npos);
}

TEST_F(BenchFsckTest, JsonNamesProgramAndRepository) {
  program("assay", kAssay);
  program("git", kGit);
  const ToolResult result = bench_fsck({"--no-shares", "--format=json"});
  const auto root = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(root.is_object()) << result.out;
  const nlohmann::json& rows = root.at("benchmarks");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].value("name", "").starts_with("fsck/assay/assay-test-"));
  EXPECT_EQ(rows[0].at("assay_rounds_ns").size(), 2u);
}

TEST_F(BenchFsckTest, AProgramThatIsNotThereIsFatal) {
  program("assay", kAssay);
  const ToolResult result = bench_fsck({"--no-shares"});
  EXPECT_EQ(result.status, 128);
  EXPECT_NE(result.err.find("cannot run"), std::string::npos);
}

}  // namespace
}  // namespace assay::tools
