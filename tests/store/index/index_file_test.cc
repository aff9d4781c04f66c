#include "store/index/index_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::id_of_digit;
using testing::IndexBuilder;

const ObjectId kA = id_of_digit('a');
const ObjectId kB = id_of_digit('b');

Result<IndexFile> parse(std::string_view text, HashKind kind = HashKind::kSha1) {
  return parse_index_file(as_bytes(text), kind);
}
// The fault as git prints it: the causes, then what it dies of.
std::string fault_of(std::string_view text) {
  const auto index = parse(text);
  if (index) return "none";
  EXPECT_EQ(index.error().id, MessageId::kIndexFileBad);
  std::string all;
  for (const std::string& cause : index.error().causes) all += cause + "; ";
  return all + index.error().text;
}
IndexBuilder two_entries(std::uint32_t version) {
  IndexBuilder builder(version);
  builder.entry({kA, "dir/a"}).entry({kB, "dir/b", 0120000});
  return builder;
}

TEST(IndexFile, ReadsEveryVersion) {
  for (const std::uint32_t version : {2U, 3U, 4U}) {
    IndexBuilder builder = two_entries(version);
    builder.entry({kB, "e", 0100755, 2}).entry({kA, "f", 0160000, 0, 0x4000});
    builder.entry({kB, "g", 0100644, 0, 0x2000});
    const auto index = parse(builder.sealed());
    ASSERT_TRUE(index) << version << ": " << index.error().text;
    EXPECT_EQ(index->version, version);
    ASSERT_EQ(index->entries.size(), 5U);
    EXPECT_EQ(index->entries[0].path, "dir/a");
    EXPECT_EQ(index->entries[0].id, kA);
    EXPECT_EQ(index->entries[1].path, "dir/b");
    EXPECT_EQ(index->entries[1].mode, 0120000U);
    EXPECT_EQ(index->entries[2].stage, 2);
    EXPECT_TRUE(index->entries[3].is_gitlink());
    EXPECT_TRUE(index->entries[3].skip_worktree);
    EXPECT_FALSE(index->entries[3].intent_to_add);
    EXPECT_TRUE(index->entries[4].intent_to_add);
    EXPECT_EQ(index->checksum, builder.checksum());
  }
}

TEST(IndexFile, ReadsPathsOfAllSizes) {
  for (const std::uint32_t version : {2U, 4U}) {
    IndexBuilder builder(version);
    std::vector<std::string> paths;
    for (std::size_t size = 1; size < 40; ++size) paths.push_back(std::string(size, 'p'));
    for (const std::size_t size : {4094U, 4095U, 4096U, 5000U, 20000U}) {
      paths.push_back(std::string(size, 'p'));
    }
    for (const std::string& path : paths) builder.entry({kA, path});
    const auto index = parse(builder.sealed());
    ASSERT_TRUE(index) << version << ": " << index.error().text;
    ASSERT_EQ(index->entries.size(), paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(index->entries[i].path, paths[i]);
  }
}

TEST(IndexFile, AcceptsSkippedChecksumAndSha256) {
  EXPECT_TRUE(parse(two_entries(2).unhashed()));
  IndexBuilder builder(2, HashKind::kSha256);
  builder.entry({id_of_digit('c', HashKind::kSha256), "x"});
  const auto index = parse(builder.sealed(), HashKind::kSha256);
  ASSERT_TRUE(index);
  EXPECT_EQ(index->entries[0].id, id_of_digit('c', HashKind::kSha256));
}

TEST(IndexFile, SaysWhatGitDiesOf) {
  EXPECT_EQ(fault_of(""), "index file smaller than expected");
  EXPECT_EQ(fault_of(std::string(31, 'x')), "index file smaller than expected");
  const std::string good = two_entries(2).content();
  std::string bad = good;
  bad[0] = 'X';
  EXPECT_EQ(fault_of(IndexBuilder::seal(bad)), "bad signature 0x43524958; index file corrupt");
  EXPECT_EQ(fault_of(IndexBuilder(1).sealed()), "bad index version 1; index file corrupt");
  EXPECT_EQ(fault_of(IndexBuilder(5).sealed()), "bad index version 5; index file corrupt");
  bad = two_entries(2).sealed();
  bad.back() ^= 1;
  EXPECT_EQ(fault_of(bad), "bad index file sha1 signature; index file corrupt");
  IndexBuilder unknown = two_entries(2);
  unknown.extension("abcd", "data");
  EXPECT_EQ(fault_of(unknown.sealed()),
            "index uses abcd extension, which we do not understand; index file corrupt");
  EXPECT_EQ(fault_of(IndexBuilder(3).entry({kA, "x", 0100644, 0, 0x8000}).sealed()),
            "unknown index entry format 0x80000000");
  EXPECT_EQ(fault_of(IndexBuilder(2).extension("link", "short").sealed()),
            "corrupt link extension (too short); index file corrupt");
}

TEST(IndexFile, PassesOverOptionalExtensions) {
  IndexBuilder builder = two_entries(2);
  builder.extension("UNTR", "anything").extension("ZZZZ", "");
  EXPECT_TRUE(parse(builder.sealed()));
  EXPECT_TRUE(parse(builder.extension("sdir", "").sealed())->is_sparse);
}

TEST(IndexFile, NotesUnreadableExtensionsAndGoesOn) {
  IndexBuilder builder = two_entries(2);
  builder.extension("REUC", "x").extension("TREE", "x");
  const auto index = parse(builder.sealed());
  ASSERT_TRUE(index);
  ASSERT_EQ(index->problems.size(), 2U);
  EXPECT_EQ(index->problems[0].text, "Index records invalid resolve-undo information");
  EXPECT_EQ(index->problems[1].text, "Index records an invalid cache tree");
  EXPECT_FALSE(index->cache_tree);
}

// The size that an entry tells is what git goes by; it does not compare.
TEST(IndexFile, NotesNamesOfAnotherSizeThanTold) {
  const std::size_t flags = 12 + 40 + 20;  // of the first entry, whose path is "dir/a"
  const auto told = [&](char size) {
    std::string content = two_entries(2).content();
    content[flags + 1] = size;
    return parse(IndexBuilder::seal(content));
  };
  EXPECT_TRUE(told(5)->problems.empty());
  for (const char size : std::string("\x04\x06\x09")) {
    const auto index = told(size);
    ASSERT_TRUE(index) << int{size};
    ASSERT_EQ(index->problems.size(), 1U);
    EXPECT_EQ(index->problems[0].id, MessageId::kIndexEntryBad);
    EXPECT_EQ(index->entries[1].path, "dir/b");
  }
  EXPECT_EQ(told(4)->entries[0].path, "dir/");
  EXPECT_EQ(told(6)->problems[0].text, "entry 'dir/a' tells a wrong size of its name");
  EXPECT_FALSE(told(1) && told(1)->entries[1].path == "dir/b");  // the next entry moves
}

TEST(IndexFile, RefusesLengthsThatCannotBe) {
  // More entries than the bytes could hold.
  std::string content = two_entries(2).content();
  content.replace(8, 4, testing::be32_text(0xffffffff));
  EXPECT_NE(fault_of(IndexBuilder::seal(content)).find("file is too small for 4294967295 entries"),
            std::string::npos);
  // An extension that ends behind the file.
  content = two_entries(2).content() + "TREE" + testing::be32_text(0xfffffff0);
  EXPECT_NE(fault_of(IndexBuilder::seal(content)).find("extension 'TREE' runs past the end"),
            std::string::npos);
  // A name that does not end.
  content = two_entries(2).content();
  content.resize(content.size() - 5);
  EXPECT_EQ(fault_of(IndexBuilder::seal(content)),
            "malformed name field in the index, near path 'dir/a'");
  const std::string endless = IndexBuilder(2).entry({kA, std::string(5000, 'p')}).content();
  EXPECT_EQ(fault_of(IndexBuilder::seal(endless.substr(0, endless.size() - 8))),
            "malformed name field in the index, near path ''");
}

// CVE-2018-8098, CVE-2026-33762: the number of bytes to drop is larger than the path before.
TEST(IndexFile, ChecksThePrefixOfVersion4) {
  const std::string head = "DIRC" + testing::be32_text(4) + testing::be32_text(2);
  const auto entry = [](const std::string& drop, const std::string& suffix, std::uint32_t size) {
    return std::string(24, '\0') + testing::be32_text(0100644) + std::string(12, '\0') +
           testing::raw_text(kA) + testing::be16_text(size) + drop + suffix + '\0';
  };
  const auto file = [&](const std::string& drop, std::uint32_t size) {
    return IndexBuilder::seal(head + entry(std::string(1, '\0'), "abc", 3) +
                              entry(drop, "xyzxyz", size));
  };
  EXPECT_EQ(parse(file("\x03", 6))->entries[1].path, "xyzxyz");
  EXPECT_EQ(parse(file("\x02", 7))->entries[1].path, "axyzxyz");
  const std::string malformed = "malformed name field in the index, near path 'abc'";
  EXPECT_EQ(fault_of(file("\x04", 6)), malformed);
  EXPECT_EQ(fault_of(file("\x04", 9)), malformed);  // would fit if nothing were dropped
  EXPECT_EQ(fault_of(file(IndexBuilder::varint(1ULL << 40), 6)), malformed);
  EXPECT_EQ(fault_of(file(std::string(12, '\xff') + "\x01", 6)), malformed);
  EXPECT_EQ(fault_of(file("\x03", 5)), malformed);  // the flags tell another size
}

// A long path that every entry repeats costs few bytes in version 4 but much memory.
TEST(IndexFile, BoundsThePathsOfVersion4) {
  IndexBuilder builder(4);
  const std::string prefix(1 << 20, 'p');
  for (int i = 0; i < 40; ++i) builder.entry({kA, prefix + static_cast<char>('A' + i)});
  EXPECT_EQ(fault_of(builder.sealed()), "paths are too long together; index file corrupt");
}

TEST(IndexFile, FindsEntriesOutOfOrder) {
  const auto order_of = [](std::initializer_list<testing::IndexEntryText> entries) {
    IndexBuilder builder(2);
    for (const auto& entry : entries) builder.entry(entry);
    const auto index = parse(builder.sealed());
    const auto fault = check_index_order(index->entries);
    return fault ? fault->text : "none";
  };
  EXPECT_EQ(order_of({{kA, "a"}, {kA, "b"}}), "none");
  EXPECT_EQ(order_of({{kA, "a", 0100644, 1}, {kA, "a", 0100644, 2}}), "none");
  EXPECT_EQ(order_of({{kA, "a", 0100644, 2}, {kA, "a", 0100644, 2}}), "none");
  EXPECT_EQ(order_of({{kA, "a\xff"}, {kA, "b"}}), "none");
  EXPECT_EQ(order_of({{kA, "b"}, {kA, "a"}}), "unordered stage entries in index");
  EXPECT_EQ(order_of({{kA, "a/b"}, {kA, "a.b"}}), "unordered stage entries in index");
  EXPECT_EQ(order_of({{kA, "a"}, {kA, "a", 0100644, 1}}),
            "multiple stage entries for merged file 'a'");
  EXPECT_EQ(order_of({{kA, "a"}, {kA, "a"}}), "multiple stage entries for merged file 'a'");
  EXPECT_EQ(order_of({{kA, "a", 0100644, 3}, {kA, "a", 0100644, 1}}),
            "unordered stage entries for 'a'");
}

std::string everything(std::uint32_t version) {
  using testing::raw_text;
  const std::string nul(1, '\0');
  IndexBuilder builder = two_entries(version);
  builder.entry({kA, "dir/c", 0100644, 0, 0x4000});
  builder.extension("TREE", nul + "3 1\n" + raw_text(kA) + "dir" + nul + "3 0\n" + raw_text(kB));
  builder.extension("REUC", "f" + nul + "100644" + nul + "0" + nul + "0" + nul + raw_text(kA));
  builder.extension("link", raw_text(kB) +
                                testing::ewah_text(3, {testing::ewah_marker(false, 0, 1), 5}) +
                                testing::ewah_text(0, {}));
  return builder.content();
}

TEST(IndexFile, FindsEveryChangedByteByItsChecksum) {
  for (const std::uint32_t version : {2U, 4U}) {
    const std::string file = IndexBuilder::seal(everything(version));
    ASSERT_TRUE(parse(file));
    std::size_t accepted = 0;
    testing::for_each_damage(as_bytes(file), [&](ByteView bytes) {
      const auto index = parse_index_file(bytes, HashKind::kSha1);
      // A byte that was zero already is no damage.
      if (index && as_text(bytes) != file) ++accepted;
    });
    EXPECT_EQ(accepted, 0U);
  }
}

TEST(IndexFile, SurvivesDamageUnderAValidChecksum) {
  for (const std::uint32_t version : {2U, 4U}) {
    const std::string content = everything(version);
    std::size_t refused = 0;
    testing::for_each_damage(as_bytes(content), [&](ByteView bytes) {
      const Bytes sealed = [&] {
        const std::string text = IndexBuilder::seal(std::string(as_text(bytes)));
        return Bytes(text.begin(), text.end());
      }();
      const auto index = parse_index_file(sealed, HashKind::kSha1);
      if (!index) {
        ++refused;
      } else {
        EXPECT_LE(index->entries.size(), 3U);
      }
    });
    EXPECT_GT(refused, content.size() / 2);
  }
}

}  // namespace
}  // namespace assay
