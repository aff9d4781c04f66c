// The tables of the past. Turns are as short as they can be: nothing here looks at speed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "sha1/kernel.h"
#include "tests/support/run_tool.h"

namespace assay::tools {
namespace {

testing::ToolResult table(const std::string& name, std::vector<std::string> options) {
  std::vector<std::string> arguments = {"bench", "sha1", "--table", name, "--turn", "1"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return testing::run_tool(arguments, "/");
}

TEST(HistoryBenchTest, TableOf2009HasItsRowsAndOneDigest) {
  const auto result = table("2009", {"--rounds", "1000"});
  EXPECT_EQ(result.status, 0) << result.err;
  // The digest is that of 64,000 times the letter a, by another program.
  EXPECT_NE(result.out.find("Rounds: 1000, size: 62K\n"
                            "SHA-1: 0bdb4141dd7d17c8e4ca754e6d6225b088ca9179\n"),
            std::string::npos)
      << result.out;
  for (const char* row : {"rfc3174", "mozilla", "mozilla_scheduled", "blk", "blk_late_k"}) {
    const std::regex line("\n" + std::string(row) + " +[0-9.]+ +[0-9.]+ +[0-9.]+  equal\n");
    EXPECT_TRUE(std::regex_search(result.out, line)) << row << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find("DIFFER"), std::string::npos);
}

TEST(HistoryBenchTest, ReportOf2009IsOfTheWholeMessage) {
  const auto result =
      table("2009", {"--rounds", "1000", "--size", "10", "--no-rivals", "--format=json"});
  const auto report = nlohmann::json::parse(result.out);
  bool found = false;
  for (const auto& row : report["benchmarks"]) {
    EXPECT_TRUE(std::string(row["name"]).ends_with("/plain/10000")) << row["name"];
    // Google's: bytes_per_second times seconds an operation are the bytes of an operation.
    const double bytes = double(row["bytes_per_second"]) * double(row["cpu_time"]) * 1e-9;
    EXPECT_NEAR(bytes, 10'000, 1);
    found = found || row["name"] == "sha1/one/rfc3174/plain/10000";
  }
  EXPECT_TRUE(found);
}

TEST(HistoryBenchTest, BothFormsOfF1AreOldAndNew) {
  const auto result = table("f1", {"--rounds", "4"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* size : {"8", "1024", "8192"}) {
    const std::regex line("\nsha1/blk/" + std::string(size) +
                          " +[0-9.]+ +[0-9.]+ +([-+][0-9.]+%|~) +\\(p=[01]\\.[0-9]{3} n=4\\)\n");
    EXPECT_TRUE(std::regex_search(result.out, line)) << size << "\n" << result.out;
  }
  EXPECT_NE(result.out.find("\nbenchmark"), std::string::npos);
  EXPECT_TRUE(result.out.ends_with("all digests are equal\n"));
}

TEST(HistoryBenchTest, RowsOfReportsAreThoseOfTheKernels) {
  const auto result = table("f1", {"--rounds", "1", "--size", "64", "--format=gobench"});
  for (const char* row :
       {"BenchmarkSha1/one/blk/plain/64 ", "BenchmarkSha1/one/blk_f1_or/plain/64 "}) {
    EXPECT_NE(result.out.find(row), std::string::npos) << result.out;
  }
}

TEST(HistoryBenchTest, AssemblyIsComparedWithWhatTheCompilerMakes) {
  const auto result = table("asm", {"--rounds", "1", "--size", "64"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* name : {"amd64", "i386", "armv7"}) {
    const sha1::Kernels* kernels = sha1::find_kernels(name);
    const bool expected = kernels != nullptr && sha1::usable(*kernels);
    EXPECT_EQ(result.out.find("\nsha1/" + std::string(name) + "/64 ") != std::string::npos,
              expected)
        << result.out;
  }
}

}  // namespace
}  // namespace assay::tools
