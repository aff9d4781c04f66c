#include "store/refs/reflog.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::id_of_digit;

const std::string kA(40, 'a');
const std::string kB(40, 'b');

Reflog parse(std::string_view text) { return parse_reflog(as_bytes(text), HashKind::kSha1); }
std::string line(const std::string& rest) { return kA + " " + kB + " " + rest + "\n"; }
const std::string kGood = line("A U Thor <a@b> 1700000000 +0100\tcommit: x");

TEST(Reflog, ReadsEntries) {
  const Reflog log = parse(kGood + line("<> 1 -0000"));
  ASSERT_EQ(log.entries.size(), 2U);
  EXPECT_EQ(log.entries[0].old_id, id_of_digit('a'));
  EXPECT_EQ(log.entries[0].new_id, id_of_digit('b'));
  EXPECT_EQ(log.entries[0].timestamp, 1700000000U);
  EXPECT_EQ(log.entries[1].timestamp, 1U);
  EXPECT_EQ(log.entries[1].line, 2U);
  EXPECT_EQ(log.bad_line_count, 0U);
  EXPECT_TRUE(parse("").entries.empty());
}

TEST(Reflog, SkipsWhatGitSkipsAndCountsIt) {
  for (const std::string& bad :
       {std::string("junk\n"), line("no email 1 +0000"), line("<a>1 +0000"), line("<a> 0 +0000"),
        line("<a> x +0000"), line("<a> 1 0000"), line("<a> 1 +000"), line("<a> 1"),
        line("<a> 1 +00x0"), kA + "  " + kB + " <a> 1 +0000\n", kA + " " + kB + "<a> 1 +0000\n",
        std::string("\n"), std::string(100, '\0') + "\n", kGood.substr(0, kGood.size() - 1)}) {
    const Reflog log = parse(kGood + bad);
    EXPECT_EQ(log.entries.size(), 1U) << bad;
    EXPECT_EQ(log.bad_line_count, 1U) << bad;
    EXPECT_EQ(log.bad_lines, std::vector<std::uint32_t>{2}) << bad;
  }
  EXPECT_EQ(parse("junk\n" + kGood).entries.at(0).line, 2U);
}

TEST(Reflog, ReadsTimesAsGitDoes) {
  const auto time_of = [](const std::string& text) {
    const Reflog log = parse(line("<a> " + text + " +0000"));
    return log.entries.empty() ? 0 : log.entries[0].timestamp;
  };
  EXPECT_EQ(time_of("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(time_of("99999999999999999999999"), UINT64_MAX);
  EXPECT_EQ(time_of("-5"), UINT64_MAX - 4);
  EXPECT_EQ(time_of("+7"), 7U);
  EXPECT_EQ(time_of("  8"), 8U);
}

TEST(Reflog, KeepsAHundredBadLinesAndCountsAll) {
  std::string text;
  for (int i = 0; i < 250; ++i) text += "x\n";
  const Reflog log = parse(text);
  EXPECT_EQ(log.bad_line_count, 250U);
  EXPECT_EQ(log.bad_lines.size(), 100U);
}

TEST(Reflog, SurvivesDamage) {
  std::size_t skipped = 0;
  testing::for_each_damage(as_bytes(kGood), [&](ByteView bytes) {
    const Reflog log = parse_reflog(bytes, HashKind::kSha1);
    EXPECT_LE(log.entries.size(), 1U);
    skipped += log.entries.empty() ? 1 : 0;
  });
  EXPECT_GT(skipped, 500U);
}

}  // namespace
}  // namespace assay
