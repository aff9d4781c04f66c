#include "store/codec/chunk_table.h"

#include <gtest/gtest.h>

#include "tests/support/chunk_text.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::be32_text;
using testing::be64_text;
using testing::chunk_file;

constexpr std::size_t kHeader = 8;

Result<ChunkTable> parse(std::string_view file, std::size_t count, std::size_t alignment = 1) {
  return ChunkTable::parse(as_bytes(file), {kHeader, count, alignment, 20},
                           MessageId::kCommitGraphUnreadable);
}
std::string words_of(std::string_view file, std::size_t count, std::size_t alignment = 1) {
  const auto table = parse(file, count, alignment);
  return table ? "" : table.error().text;
}

std::string sample() {
  return chunk_file(std::string(kHeader, 'h'), {{"ABCD", "first"}, {"EFGH", ""}, {"IJKL", "xyz"}});
}

TEST(ChunkTable, FindsChunksByTheirLetters) {
  const std::string file = sample();
  const auto table = parse(file, 3);
  ASSERT_TRUE(table) << table.error().text;
  ASSERT_EQ(table->chunks().size(), 3U);
  EXPECT_EQ(as_text(*table->find(chunk_id("ABCD"))), "first");
  EXPECT_EQ(as_text(*table->find(chunk_id("EFGH"))), "");
  EXPECT_EQ(as_text(*table->find(chunk_id("IJKL"))), "xyz");
  EXPECT_FALSE(table->find(chunk_id("MNOP")));
  EXPECT_EQ(table->chunks()[0].offset, kHeader + 4 * 12);
}

TEST(ChunkTable, RefusesInGitsWords) {
  const std::string file = sample();
  EXPECT_EQ(words_of(file, 2), "final chunk has non-zero id 494a4b4c");
  EXPECT_EQ(words_of(file, 4), "terminating chunk id appears earlier than expected");
  std::string twice = file;
  twice.replace(kHeader + 12, 4, "ABCD");
  EXPECT_EQ(words_of(twice, 3), "duplicate chunk ID 41424344 found");
  std::string far = file;
  far.replace(kHeader + 12 + 4, 8, be64_text(file.size() - 19));
  EXPECT_EQ(words_of(far, 3), "improper chunk offset(s) 38 and 41");
  std::string back = file;
  back.replace(kHeader + 4, 8, be64_text(0x3e));
  EXPECT_EQ(words_of(back, 3), "improper chunk offset(s) 3e and 3d");
  EXPECT_EQ(words_of(file, 3, 4), "chunk id 45464748 not 4-byte aligned");
}

TEST(ChunkTable, NeverReadsBeyondTheFile) {
  EXPECT_EQ(words_of(std::string(20, 'x'), 1), "chunk table reaches beyond the file");
  EXPECT_EQ(words_of(std::string(kHeader, 'h') + "ABCD" + be64_text(0), 255),
            "chunk table reaches beyond the file");
  const std::string file = sample();
  for (const std::size_t count : {0U, 1U, 3U, 255U}) {
    testing::for_each_damage(as_bytes(file), [&](ByteView bytes) {
      if (bytes.size() < 20) return;
      const auto table =
          ChunkTable::parse(bytes, {kHeader, count, 1, 20}, MessageId::kMultiPackIndexUnreadable);
      if (!table) {
        EXPECT_EQ(table.error().id, MessageId::kMultiPackIndexUnreadable);
        return;
      }
      for (const ChunkTable::Chunk& chunk : table->chunks()) {
        EXPECT_LE(chunk.offset + chunk.bytes.size(), bytes.size() - 20);
      }
    });
  }
}

}  // namespace
}  // namespace assay
