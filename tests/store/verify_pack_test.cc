#include "store/verify_pack.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/pack_builder.h"

namespace assay {
namespace {

using testing::BuiltPack;
using testing::PackBuilder;
using testing::TemporaryDirectory;

BuiltPack three_entries() {
  PackBuilder builder;
  const std::size_t base = builder.add_blob("the quick brown fox jumps over the lazy dog\n");
  builder.add_offset_delta(base, as_bytes("the quick brown fox jumps over the lazy cat\n"));
  builder.add_blob("something else\n");
  return builder.build();
}

class VerifyPackTest : public ::testing::Test {
 protected:
  VerifyPackReport verify(const BuiltPack& built, bool list_entries = false) {
    built.write(directory_, "pack-test");
    VerifyPackOptions options;
    options.list_entries = list_entries;
    return verify_pack(os::System::real(), directory_.path() + "/pack-test.idx", options);
  }

  static bool names(const VerifyPackReport& report, MessageId id) {
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [id](const Finding& finding) { return finding.id == id; });
  }

  TemporaryDirectory directory_;
};

TEST_F(VerifyPackTest, SoundPackIsListedByOffset) {
  const VerifyPackReport report = verify(three_entries(), true);
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.entries.size(), 3u);
  EXPECT_EQ(report.entries[0].offset, 12u);
  EXPECT_EQ(report.entries[0].size, 44u);
  EXPECT_FALSE(report.entries[0].base);
  EXPECT_EQ(report.entries[1].depth, 1u);
  EXPECT_EQ(report.entries[1].base, report.entries[0].id);
  EXPECT_EQ(report.entries[0].offset + report.entries[0].size_in_pack, report.entries[1].offset);
}

// What is wrong with the pack as a whole was dropped with the findings of its first entry when that
// entry was bad.
TEST_F(VerifyPackTest, BadFirstEntryDoesNotHideTheChecksumOfThePack) {
  BuiltPack built = three_entries();
  built.pack[12] = 0;
  const VerifyPackReport report = verify(built);
  EXPECT_TRUE(names(report, MessageId::kPackChecksumMismatch));
  EXPECT_TRUE(names(report, MessageId::kEntryCrcMismatch));
  EXPECT_TRUE(names(report, MessageId::kEntryHeaderBad) ||
              names(report, MessageId::kEntryUnpackable));
}

TEST_F(VerifyPackTest, BytesBetweenEntriesAreFound) {
  PackBuilder builder;
  const std::size_t first = builder.add_blob("first\n");
  builder.entry(first).gap = {'h', 'i', 'd', 'd', 'e', 'n'};
  builder.add_blob("second\n");
  const VerifyPackReport report = verify(builder.build());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].id, MessageId::kPackGap);
}

TEST_F(VerifyPackTest, MissingIndexIsAFinding) {
  const VerifyPackReport report =
      verify_pack(os::System::real(), directory_.path() + "/none", VerifyPackOptions());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].id, MessageId::kPackIndexBad);
}

}  // namespace
}  // namespace assay
