#include <gtest/gtest.h>

#include <string>

#include "store/index/index_file.h"
#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::ewah_marker;
using testing::ewah_text;
using testing::id_of_digit;
using testing::IndexBuilder;
using testing::IndexEntryText;

const ObjectId kA = id_of_digit('a');
const ObjectId kB = id_of_digit('b');

// One literal word of bits.
std::string bits(std::uint64_t word) {
  return word == 0 ? ewah_text(0, {}) : ewah_text(64, {ewah_marker(false, 0, 1), word});
}

IndexFile shared_index() {
  IndexBuilder builder(2);
  for (const char* path : {"a", "b", "c", "d"}) builder.entry({kA, path});
  return *parse_index_file(as_bytes(builder.sealed()), HashKind::kSha1);
}

Result<IndexFile> merge(std::initializer_list<IndexEntryText> entries, const std::string& deleted,
                        const std::string& replaced) {
  IndexBuilder builder(2);
  for (const IndexEntryText& entry : entries) builder.entry(entry);
  builder.extension("link", testing::raw_text(kB) + deleted + replaced);
  auto split = parse_index_file(as_bytes(builder.sealed()), HashKind::kSha1);
  if (!split) return split;
  return merge_split_index(std::move(*split), shared_index());
}

std::string listed(const Result<IndexFile>& index) {
  if (!index) return index.error().text;
  std::string text;
  for (const IndexEntry& entry : index->entries) {
    text += entry.path + std::to_string(entry.stage) + entry.id.hex()[0] + " ";
  }
  return text;
}

TEST(SplitIndex, PutsTheParts) {
  EXPECT_EQ(listed(merge({}, bits(0), bits(0))), "a0a b0a c0a d0a ");
  EXPECT_EQ(listed(merge({}, bits(0b0101), bits(0))), "b0a d0a ");
  EXPECT_EQ(listed(merge({{kB, ""}, {kB, ""}}, bits(0), bits(0b1010))), "a0a b0b c0a d0b ");
  EXPECT_EQ(listed(merge({{kB, ""}, {kB, "aa"}, {kB, "e"}}, bits(0b0001), bits(0b1000))),
            "aa0b b0a c0a d0b e0b ");
  const auto index = merge({}, bits(0), bits(0));
  EXPECT_FALSE(index->link);
}

TEST(SplitIndex, NewEntriesReplaceThoseOfTheirPath) {
  EXPECT_EQ(listed(merge({{kB, "b"}}, bits(0), bits(0))), "a0a b0b c0a d0a ");
  EXPECT_EQ(listed(merge({{kB, "b", 0100644, 1}, {kB, "b", 0100644, 2}}, bits(0b0010), bits(0))),
            "a0a b1b b2b c0a d0a ");
}

TEST(SplitIndex, SaysWhatGitDiesOf) {
  EXPECT_EQ(listed(merge({}, bits(0b10000), bits(0))),
            "position for delete 4 exceeds base index size 4");
  EXPECT_EQ(listed(merge({{kB, ""}}, bits(0), bits(0b10000))),
            "position for replacement 4 exceeds base index size 4");
  EXPECT_EQ(listed(merge({{kB, ""}}, bits(0), bits(0b0011))), "too many replacements (1 vs 1)");
  EXPECT_EQ(listed(merge({{kB, "x"}}, bits(0), bits(0b0001))),
            "corrupt link extension, entry 0 should have zero length name");
  EXPECT_EQ(listed(merge({{kB, ""}}, bits(0), bits(0))),
            "corrupt link extension, entry 0 should have non-zero length name");
  const std::string endless = ewah_text(0xffffffff, {ewah_marker(true, 0xffffffff, 0)});
  EXPECT_EQ(listed(merge({}, endless, bits(0))), "position for delete 4 exceeds base index size 4");
}

TEST(SplitIndex, SaysWhichBitmapIsCorrupt) {
  const auto causes_of = [](const std::string& data) {
    IndexBuilder builder(2);
    builder.extension("link", testing::raw_text(kB) + data);
    const auto index = parse_index_file(as_bytes(builder.sealed()), HashKind::kSha1);
    return index ? "none" : index.error().causes.at(0);
  };
  EXPECT_EQ(causes_of(""), "none");
  EXPECT_EQ(causes_of("x"), "corrupt delete bitmap in link extension");
  EXPECT_EQ(causes_of(bits(1)), "corrupt replace bitmap in link extension");
  EXPECT_EQ(causes_of(bits(1) + bits(0)), "none");
  EXPECT_EQ(causes_of(bits(1) + bits(0) + "x"), "garbage at the end of link extension");
}

TEST(SplitIndex, SurvivesDamage) {
  IndexBuilder builder(2);
  builder.entry({kB, ""}).entry({kB, "aa"});
  builder.extension("link", testing::raw_text(kB) + bits(0b0001) + bits(0b1000));
  const IndexFile shared = shared_index();
  std::size_t merged = 0;
  testing::for_each_damage(as_bytes(builder.content()), [&](ByteView bytes) {
    const std::string text = IndexBuilder::seal(std::string(as_text(bytes)));
    auto split = parse_index_file(as_bytes(text), HashKind::kSha1);
    if (!split || !split->link) return;
    const auto index = merge_split_index(std::move(*split), shared);
    if (!index) return;
    EXPECT_LE(index->entries.size(), 6U);
    ++merged;
  });
  EXPECT_GT(merged, 100U);
}

}  // namespace
}  // namespace assay
