#include "store/refs/reftable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/fake_objects.h"
#include "tests/support/reftable_builder.h"

namespace assay {
namespace {

using testing::be_text;
using testing::id_of_digit;
using testing::reftable_number;
using testing::ReftableBuilder;

const ObjectId kA = id_of_digit('a');
const ObjectId kB = id_of_digit('b');
const ObjectId kC = id_of_digit('c');

struct Read {
  std::string refs;
  std::string logs;
  Reftable table;
  std::string fault() const { return table.fault ? table.fault->text : ""; }
  std::string doubts() const {
    std::string text;
    for (const Fault& doubt : table.doubts) text += doubt.text + "\n";
    return text;
  }
};

Read read(const std::string& file, HashKind kind = HashKind::kSha1) {
  Read result;
  result.table = read_reftable(as_bytes(file), kind, [&](const ReftableLog& log) {
    result.logs += std::string(log.name) + " " + std::to_string(log.update_index) +
                   (log.is_deletion ? " deleted" : " " + log.new_id.hex().substr(0, 2)) + "\n";
  });
  for (const ReftableRef& ref : result.table.refs) {
    result.refs += ref.name + " ";
    switch (ref.kind) {
      case ReftableRef::Kind::kDeletion:
        result.refs += "deleted";
        break;
      case ReftableRef::Kind::kId:
        result.refs += ref.id.hex().substr(0, 2);
        break;
      case ReftableRef::Kind::kPeeledId:
        result.refs += ref.id.hex().substr(0, 2) + "^" + ref.peeled.hex().substr(0, 2);
        break;
      case ReftableRef::Kind::kSymref:
        result.refs += "->" + ref.target;
        break;
    }
    result.refs += "\n";
  }
  return result;
}

// Refs in three blocks with an index, logs in two.
ReftableBuilder several_blocks() {
  ReftableBuilder builder;
  builder.add_symref("HEAD", "refs/heads/main");
  builder.add_ref("refs/heads/a", kA);
  builder.add_ref("refs/heads/ab", kB, 3);
  builder.add_deletion("refs/heads/gone");
  builder.add_ref("refs/heads/main", kB);
  builder.add_ref("refs/heads/mainly", kA);
  builder.add_peeled("refs/tags/v1", kC, kA);
  builder.add_log("HEAD", 4, kA, kB);
  builder.add_log("HEAD", 2, kB, kA);
  builder.add_log_deletion("refs/heads/a", 7);
  builder.add_log("refs/heads/main", 4, kA, kB);
  return builder;
}

constexpr std::string_view kSeveralRefs =
    "HEAD ->refs/heads/main\nrefs/heads/a aa\nrefs/heads/ab bb\nrefs/heads/gone deleted\n"
    "refs/heads/main bb\nrefs/heads/mainly aa\nrefs/tags/v1 cc^aa\n";
constexpr std::string_view kSeveralLogs =
    "HEAD 4 bb\nHEAD 2 aa\nrefs/heads/a 7 deleted\nrefs/heads/main 4 bb\n";

TEST(Reftable, ReadsRefsAndLogs) {
  for (const std::uint32_t block_size : {0u, 512u}) {
    for (const bool with_objects : {false, true}) {
      ReftableBuilder builder = several_blocks();
      builder.block_size = block_size;
      builder.with_objects = with_objects;
      const Read result = read(builder.build());
      EXPECT_EQ(result.fault(), "");
      EXPECT_EQ(result.doubts(), "");
      EXPECT_EQ(result.refs, kSeveralRefs);
      EXPECT_EQ(result.logs, kSeveralLogs);
      EXPECT_EQ(result.table.min_update_index, 1u);
      EXPECT_EQ(result.table.max_update_index, 9u);
    }
  }
}

TEST(Reftable, ReadsLogsAloneAndNothing) {
  ReftableBuilder empty;
  EXPECT_EQ(read(empty.build()).fault(), "");
  EXPECT_EQ(read(empty.build()).refs, "");
  ReftableBuilder logs;
  for (std::uint64_t i = 9; i > 0; --i) logs.add_log("HEAD", i, kA, kB);
  const Read result = read(logs.build());
  EXPECT_EQ(result.fault(), "");
  EXPECT_EQ(result.logs.substr(0, 20), "HEAD 9 bb\nHEAD 8 bb\n");
}

// What git 2.55 wrote, and what it said is in it (fixtures/scripts/record_reftables.py).
TEST(Reftable, ReadsWhatGitWrites) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(ASSAY_SOURCE_DIR) / "fixtures/reftable";
  std::size_t tables = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".ref") continue;
    ++tables;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const bool sha256 = entry.path().string().find("sha256") != std::string::npos;
    const Read result = read(file, sha256 ? HashKind::kSha256 : HashKind::kSha1);
    EXPECT_EQ(result.fault(), "") << entry.path();
    EXPECT_EQ(result.doubts(), "") << entry.path();
    EXPECT_NE(result.refs + result.logs, "") << entry.path();
    EXPECT_TRUE(is_valid_reftable_name(entry.path().filename().string()));
    const Read wrong = read(file, sha256 ? HashKind::kSha1 : HashKind::kSha256);
    EXPECT_NE(wrong.fault().find("not that of the repository"), std::string::npos);
  }
  EXPECT_EQ(tables, 7u);
}

TEST(Reftable, EveryTruncationIsFound) {
  ReftableBuilder builder = several_blocks();
  builder.with_objects = true;
  const std::string file = builder.build();
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(read(file.substr(0, size)).fault(), "") << size;
  }
}

// Ids, texts and times inside records have no checksum; everything else tells.
TEST(Reftable, NoFlippedBitGetsPastSizesAndPositions) {
  const std::string file = several_blocks().build();
  const Read sound = read(file);
  const std::size_t footer = file.size() - ReftableBuilder::kFooterSize;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = file;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      const Read result = read(flipped);
      const bool framed = at < ReftableBuilder::kHeaderSize || at >= footer;
      if (framed) {
        EXPECT_NE(result.fault(), "") << at << " " << bit;
      }
      // What is read all the same differs in its values only.
      if (result.fault().empty()) {
        EXPECT_EQ(result.table.refs.size(), sound.table.refs.size()) << at << " " << bit;
      }
    }
  }
}

struct BadCase {
  std::string_view name;
  std::string file;
  std::string_view fault;
};

TEST(Reftable, NamesWhatIsWrong) {
  const auto changed = [](std::size_t at, const std::string& text) {
    std::string file = several_blocks().build();
    file.replace(at, text.size(), text);
    return ReftableBuilder::sealed(file);
  };
  // In the header and in its copy.
  const auto framed = [](std::size_t at, const std::string& text) {
    std::string file = several_blocks().build();
    file.replace(at, text.size(), text);
    file.replace(file.size() - ReftableBuilder::kFooterSize + at, text.size(), text);
    return ReftableBuilder::sealed(file);
  };
  const auto built = [](const std::function<void(ReftableBuilder&)>& change) {
    ReftableBuilder builder;
    change(builder);
    return builder.build();
  };
  const std::size_t size = several_blocks().build().size();
  const std::size_t footer = size - ReftableBuilder::kFooterSize;
  const BadCase cases[] = {
      {"magic", framed(0, "REFX"), "is no reftable: bad magic"},
      {"version", framed(4, "\3"), "has unknown version 3"},
      {"footer", changed(footer + 8, "x"), "its footer does not repeat the header"},
      {"index elsewhere", changed(footer + 24, be_text(5, 8)),
       "its footer names 5, where no index begins"},
      {"logs elsewhere", changed(footer + 48, be_text(5, 8)),
       "its footer names 5 as the first log block"},
      {"objects elsewhere", changed(footer + 32, be_text(5 << 5 | 2, 8)),
       "its footer names 5 as the first object block"},
      {"abbreviation", changed(footer + 32, be_text(5 << 5, 8)),
       "its object ids are abbreviated to nothing"},
      {"block type", changed(24, "x"), "block at 0: type 0x78 is out of place"},
      {"block size", changed(25, be_text(10, 3)), "block at 0: its size is too small"},
      {"large block", changed(25, be_text(0xffffff, 3)),
       "block at 0: reaches beyond the blocks of the file"},
      {"order", built([](auto& b) {
         b.add_ref("refs/heads/b", kA);
         b.add_ref("refs/heads/a", kA);
       }),
       "block at 0: its keys are not in order"},
      {"twice", built([](auto& b) {
         b.add_ref("refs/heads/a", kA);
         b.add_ref("refs/heads/a", kA);
       }),
       "block at 0: its keys are not in order"},
      {"order of blocks", built([](auto& b) {
         b.records_a_block = 1;
         b.with_index = false;
         b.add_ref("refs/heads/b", kA);
         b.add_ref("refs/heads/a", kA);
       }),
       "its first key is not above the last of the block before"},
      {"type", built([](auto& b) { b.add_raw_ref("refs/heads/a", 5, reftable_number(0)); }),
       "block at 0: a ref has unknown type 5"},
      {"short id", built([](auto& b) { b.add_raw_ref("refs/heads/a", 1, "\1abc"); }),
       "block at 0: a ref is cut short"},
      {"short target", built([](auto& b) {
         b.add_raw_ref("refs/heads/a", 3, reftable_number(0) + reftable_number(99) + "x");
       }),
       "block at 0: a ref is cut short"},
      {"endless number",
       built([](auto& b) { b.add_raw_ref("refs/heads/a", 1, std::string(20, '\xff')); }),
       "block at 0: a ref is cut short"},
      {"empty name", built([](auto& b) { b.add_ref("", kA); }), "block at 0: a key is empty"},
  };
  for (const BadCase& bad : cases) {
    EXPECT_NE(read(bad.file).fault().find(bad.fault), std::string::npos)
        << bad.name << ": " << read(bad.file).fault();
  }
}

TEST(Reftable, RestartsLeadToWholeKeys) {
  ReftableBuilder builder;
  builder.add_ref("refs/heads/a", kA);
  builder.add_ref("refs/heads/b", kA);
  builder.add_ref("refs/heads/c", kA);
  std::string file = builder.build();
  // Two restarts, 28 and the third record's; then their number.
  const std::size_t table = file.size() - ReftableBuilder::kFooterSize - 8;
  file.replace(table + 3, 3, be_text(29, 3));
  EXPECT_NE(read(ReftableBuilder::sealed(file)).fault().find("no whole key at its restart 29"),
            std::string::npos);
  file.replace(table + 3, 3, be_text(28, 3));
  EXPECT_NE(read(ReftableBuilder::sealed(file)).fault().find("restarts are not in order"),
            std::string::npos);
  file.replace(table + 6, 2, be_text(0xffff, 2));
  EXPECT_NE(read(ReftableBuilder::sealed(file)).fault().find("restart table is too large"),
            std::string::npos);
}

TEST(Reftable, IndexLeadsToEveryBlock) {
  const std::string file = several_blocks().build();
  // The last key that the index tells of the second block.
  const std::size_t at = file.rfind("refs/heads/mainly", file.rfind("refs/tags/v1"));
  std::string renamed = file;
  renamed[at + 16] = 'z';
  EXPECT_NE(read(renamed).fault().find("its index tells another last key"), std::string::npos)
      << read(renamed).fault();
  ReftableBuilder without = several_blocks();
  without.with_index = false;
  EXPECT_EQ(read(without.build()).fault(), "") << "readers can do without";
}

TEST(Reftable, DoubtsWhatGitDoesNotLookAt) {
  ReftableBuilder late;
  late.add_ref("refs/heads/a", kA, 100);
  EXPECT_EQ(read(late.build()).fault(), "");
  EXPECT_EQ(read(late.build()).doubts(),
            "refs/heads/a: its update index is beyond that of the table\n");

  ReftableBuilder padded = several_blocks();
  padded.block_size = 512;
  std::string file = padded.build();
  file[511] = 'x';
  EXPECT_EQ(read(file).doubts(), "block at 0: the padding behind it is not zero\n");

  ReftableBuilder objects = several_blocks();
  objects.with_objects = true;
  file = objects.build();
  // The record of the object block: no prefix, two bytes of the id, found in three blocks.
  const std::size_t block = file.find(std::string("\x00\x13\xaa\xaa", 4));
  ASSERT_NE(block, std::string::npos);
  file[block + 3] = '\xab';
  EXPECT_NE(read(file).doubts().find("its object cannot be found by id"), std::string::npos)
      << read(file).doubts() << read(file).fault();
}

TEST(Reftable, LogBlocksMustInflateToTheirSize) {
  ReftableBuilder logs;
  logs.add_log("HEAD", 1, kA, kB);
  const std::string file = logs.build();
  std::string longer = file;
  longer[27] = static_cast<char>(longer[27] + 1);
  EXPECT_NE(read(longer).fault().find("does not inflate to the size"), std::string::npos);
  std::string damaged = file;
  damaged[40] = static_cast<char>(damaged[40] ^ 0xff);
  EXPECT_NE(read(damaged).fault(), "");
  std::string bomb = file;
  bomb.replace(25, 3, "\xff\xff\xff");
  EXPECT_NE(read(bomb).fault().find("its size cannot be true"), std::string::npos);
}

TEST(Reftable, ListOfTables) {
  const auto parse = [](std::string_view text) { return parse_reftable_list(as_bytes(text)); };
  EXPECT_EQ(parse("a.ref\nb.log\n").names, (std::vector<std::string>{"a.ref", "b.log"}));
  EXPECT_FALSE(parse("a.ref\n").fault);
  EXPECT_TRUE(parse("").names.empty());
  EXPECT_FALSE(parse("").fault);
  EXPECT_EQ(parse("a.ref\nb.log").fault->offset, 6u);
  EXPECT_TRUE(parse("../a.ref\n").fault);
  EXPECT_TRUE(parse("..\n").fault);
}

TEST(Reftable, NamesOfTables) {
  for (const char* good : {"0x000000000001-0x000000000002-0a1b2c3d.ref", "1-2-3.log", "--.ref"}) {
    EXPECT_TRUE(is_valid_reftable_name(good)) << good;
  }
  for (const char* bad : {"1-2.ref", "1-2-3.txt", "x-2-3.ref", "1-2-3.ref~", ""}) {
    EXPECT_FALSE(is_valid_reftable_name(bad)) << bad;
  }
}

}  // namespace
}  // namespace assay
