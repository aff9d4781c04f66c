#include "store/loose/loose_object.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "tests/support/failing_system.h"
#include "tests/support/loose_files.h"

namespace assay {
namespace {

using testing::deflated;
using testing::id_of;
using testing::with_header;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;

class LooseObjectTest : public ::testing::Test {
 protected:
  // Reads the bytes as the file of `id`, from a file that is really there.
  Result<LooseObject> read_file(std::string_view file, const ObjectId& id) {
    testing::put_file(root_, id, file);
    return read(id);
  }
  Result<LooseObject> read_text(std::string_view text) {
    return read_file(deflated(text), id_of(text));
  }
  Result<LooseObject> read(const ObjectId& id, bool follow = false) {
    return read_loose_object(reader_, place(id, follow), kLimit);
  }
  LoosePlace place(const ObjectId& id, bool follow = false) {
    LoosePlace place;
    place.name = root_.path("objects/" + loose_file_path(id));
    place.path = "P";
    place.id = id;
    place.follow_symlink = follow;
    return place;
  }
  // Both ways of reading must agree; returns the fault.
  Fault fault_of(std::string_view file, const ObjectId& id) {
    const auto object = read_file(file, id);
    EXPECT_FALSE(object.has_value());
    if (object) return {};
    if (reader_.open(place(id))) {
      const auto streamed = reader_.stream([](ByteView) {});
      EXPECT_FALSE(streamed.has_value());
      if (!streamed) {
        EXPECT_EQ(object.error().text, streamed.error().text);
        EXPECT_EQ(object.error().causes, streamed.error().causes);
      }
    }
    return object.error();
  }

  testing::TemporaryDirectory root_;
  testing::FailingSystem system_;
  LooseReader reader_{system_};
};

TEST_F(LooseObjectTest, ReadsAllTypesAndSizes) {
  std::mt19937 random(1);
  for (const char* type : {"blob", "tree", "commit", "tag"}) {
    // Around the 32 bytes of the header buffer and around the windows.
    for (const std::size_t size : {0, 1, 20, 24, 25, 26, 27, 100, 65535, 65536, 65537, 300000}) {
      std::string content(size, '\0');
      for (char& c : content) c = static_cast<char>(random());
      for (const int level : {0, 1, 9}) {
        const std::string text = with_header(type, content);
        const auto object = read_file(deflated(text, level), id_of(text));
        ASSERT_TRUE(object.has_value()) << object.error().text;
        EXPECT_EQ(type, type_name(object->type));
        EXPECT_EQ(size, object->size);
        ASSERT_TRUE(object->content.has_value());
        EXPECT_EQ(content, as_text(*object->content));
        std::string streamed;
        ASSERT_TRUE(reader_.open(place(id_of(text))).has_value());
        ASSERT_TRUE(
            reader_.stream([&](ByteView piece) { streamed += as_text(piece); }).has_value());
        EXPECT_EQ(content, streamed);
      }
    }
  }
}

TEST_F(LooseObjectTest, ShortReadsChangeNothing) {
  system_.limit_reads(1);
  const auto object = read_text(with_header("blob", std::string(5000, 'x') + "end"));
  ASSERT_TRUE(object.has_value()) << object.error().text;
  EXPECT_EQ(std::string(5000, 'x') + "end", as_text(*object->content));
}

TEST_F(LooseObjectTest, LeavesLargeObjectsToTheCaller) {
  const std::string text = with_header("blob", std::string(kLimit + 1, 'x'));
  const auto object = read_text(text);
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(kLimit + 1, object->size);
  EXPECT_FALSE(object->content.has_value());
  std::uint64_t size = 0;
  ASSERT_TRUE(reader_.stream([&](ByteView piece) { size += piece.size(); }).has_value());
  EXPECT_EQ(kLimit + 1, size);
}

TEST_F(LooseObjectTest, AbsentEmptyAndSpecialFiles) {
  const ObjectId id = id_of(with_header("blob", "x"));
  auto absent = read(id);
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(MessageId::kObjectUnreadable, absent.error().id);
  EXPECT_EQ("unable to mmap P: No such file or directory", absent.error().text);

  const Fault empty = fault_of("", id);
  EXPECT_EQ(MessageId::kObjectCorrupt, empty.id);
  ASSERT_EQ(1U, empty.causes.size());
  EXPECT_EQ("object file P is empty", empty.causes[0]);

  const std::string path = place(id).name;
  std::filesystem::remove(path);
  ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
  const auto fifo = read(id);  // must not hang
  ASSERT_FALSE(fifo.has_value());
  EXPECT_EQ(MessageId::kObjectUnreadable, fifo.error().id);
  EXPECT_EQ("P is a special file, not a file", fifo.error().text);

  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const auto directory = read(id);
  ASSERT_FALSE(directory.has_value());
  EXPECT_EQ("P is a directory, not a file", directory.error().text);
}

TEST_F(LooseObjectTest, SymbolicLinkIsAFaultUnlessFollowed) {
  const ObjectId id = testing::put_object(root_, "blob", "content");
  const std::string path = place(id).name;
  std::filesystem::rename(path, root_.path("elsewhere"));
  std::filesystem::create_symlink(root_.path("elsewhere"), path);
  const auto link = read(id);
  ASSERT_FALSE(link.has_value());
  EXPECT_EQ(MessageId::kSymlinkInObjects, link.error().id);
  const auto followed = read(id, true);
  ASSERT_TRUE(followed.has_value());
  EXPECT_EQ("content", as_text(*followed->content));
}

TEST_F(LooseObjectTest, HeaderGrammar) {
  struct Case {
    std::string text;
    std::string expected;
  };
  const std::string zero(1, '\0');
  const Case cases[] = {
      {"blob" + zero + "abc", "unable to parse header of P"},
      {"blob  3" + zero + "abc", "unable to parse header of P"},
      {"blob 03" + zero + "abc", "unable to parse header of P"},
      {"blob +3" + zero + "abc", "unable to parse header of P"},
      {"blob -3" + zero + "abc", "unable to parse header of P"},
      {"blob 3 " + zero + "abc", "unable to parse header of P"},
      {"blob " + zero + "abc", "unable to parse header of P"},
      {"blob 3x" + zero + "abc", "unable to parse header of P"},
      {"blob 18446744073709551616" + zero + "abc", "unable to parse header of P"},
      {"Blob 3" + zero + "abc", "unable to parse type from header 'Blob 3' of P"},
      {" 3" + zero + "abc", "unable to parse type from header ' 3' of P"},
      {"blub 3" + zero + "abc", "unable to parse type from header 'blub 3' of P"},
      {"", "unable to unpack header of P"},
      {"blob 3", "unable to unpack header of P"},
      {"blob 3" + std::string(40, '0') + zero + "abc", "unable to unpack header of P"},
  };
  for (const Case& c : cases) {
    const Fault fault = fault_of(deflated(c.text), id_of(c.text));
    EXPECT_EQ(MessageId::kObjectCorrupt, fault.id) << c.text;
    EXPECT_EQ(c.expected, fault.text) << c.text;
    EXPECT_TRUE(fault.causes.empty()) << c.text;
  }
}

TEST_F(LooseObjectTest, HeaderThatJustFitsIsRead) {
  // 31 characters and the NUL: more digits than any size has cannot be canonical, so the type is
  // what is long.
  const std::string text = std::string(29, 'x') + " 3" + std::string(1, '\0') + "abc";
  EXPECT_EQ("unable to parse type from header '" + std::string(29, 'x') + " 3' of P",
            fault_of(deflated(text), id_of(text)).text);
  const std::string longer = "x" + text;
  EXPECT_EQ("unable to unpack header of P", fault_of(deflated(longer), id_of(longer)).text);
}

TEST_F(LooseObjectTest, DamagedStreams) {
  const std::string text = with_header("blob", std::string(100, 'a') + "bcdefghijklmnop");
  const ObjectId id = id_of(text);
  const std::string corrupt = "corrupt loose object '" + id.hex() + "'";
  const std::string good = deflated(text);

  const Fault garbage = fault_of("xyz", id);
  EXPECT_EQ("unable to unpack header of P", garbage.text);
  EXPECT_EQ(std::vector<std::string>{"inflate: data stream error (incorrect header check)"},
            garbage.causes);

  std::string bad_checksum = good;
  bad_checksum.back() ^= 1;
  const Fault checksum = fault_of(bad_checksum, id);
  EXPECT_EQ("unable to unpack contents of P", checksum.text);
  EXPECT_EQ(
      (std::vector<std::string>{"inflate: data stream error (incorrect data check)", corrupt}),
      checksum.causes);

  const Fault trailing = fault_of(good + "x", id);
  EXPECT_EQ("unable to unpack contents of P", trailing.text);
  EXPECT_EQ((std::vector<std::string>{"garbage at end of loose object '" + id.hex() + "'"}),
            trailing.causes);

  // Dictionaries (FDICT) are legal zlib, but nobody could know the dictionary.
  const Fault dictionary = fault_of(
      "\x78\x20"
      "aaaa",
      id);
  EXPECT_EQ("unable to unpack header of P", dictionary.text);
  EXPECT_EQ(std::vector<std::string>{"inflate: needs dictionary (no message)"}, dictionary.causes);
}

TEST_F(LooseObjectTest, EveryTruncationIsFound) {
  for (const std::size_t size : {3, 60, 5000}) {
    std::mt19937 random(2);
    std::string content(size, '\0');
    for (char& c : content) c = static_cast<char>('a' + random() % 16);
    const std::string text = with_header("blob", content);
    const std::string good = deflated(text);
    for (std::size_t kept = 0; kept < good.size(); kept += kept < 100 ? 1 : 37) {
      const Fault fault = fault_of(std::string_view(good).substr(0, kept), id_of(text));
      EXPECT_EQ(MessageId::kObjectCorrupt, fault.id) << kept;
    }
  }
}

TEST_F(LooseObjectTest, EveryBitFlipIsFoundOrLeavesTheContentAlone) {
  const std::string content = "tree-like content, not too long: 0123456789abcdef 0123456789abcdef";
  const std::string text = with_header("blob", content);
  const std::string good = deflated(text);
  int harmless = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto object = read_file(flipped, id_of(text));
    if (!object) continue;
    // Adler-32 alone may miss it; then the id does not.
    const std::string found = with_header(type_name(object->type), as_text(*object->content));
    if (found == text) ++harmless;
  }
  // Padding bits and the level bits of the zlib header.
  EXPECT_LT(harmless, 16);
}

TEST_F(LooseObjectTest, LyingSizes) {
  struct Case {
    std::string text;
    std::string expected;
    std::size_t causes;
  };
  const std::string zero(1, '\0');
  const Case cases[] = {
      // git passes the first over when the name fits, and calls the others corrupt.
      {"blob 3" + zero + "abcdef", "header of P declares 3 bytes, but more follow", 0},
      {"blob 3" + zero + std::string(100, 'x'), "header of P declares 3 bytes, but more follow", 2},
      {"blob 100" + zero + std::string(101, 'x'), "header of P declares 100 bytes, but more follow",
       2},
      // git never compares these.
      {"blob 9" + zero + "abc", "header of P declares 9 bytes, but only 3 follow", 0},
      {"blob 1" + zero, "header of P declares 1 bytes, but only 0 follow", 0},
      {"blob 300000" + zero + std::string(1000, 'x'),
       "header of P declares 300000 bytes, but only 1000 follow", 0},
      {"commit 9000000000000000" + zero + "abc",
       "header of P declares 9000000000000000 bytes, but only 3 follow", 0},
      {"tree 18446744073709551615" + zero + "abc",
       "header of P declares 18446744073709551615 bytes, but only 3 follow", 0},
  };
  for (const Case& c : cases) {
    // Straight through the reader, so that the limit does not decide.
    const ObjectId id = id_of(c.text);
    testing::put_file(root_, id, deflated(c.text));
    for (const bool whole : {true, false}) {
      ASSERT_TRUE(reader_.open(place(id)).has_value());
      Bytes content;
      const auto read = whole ? reader_.read(content) : reader_.stream([](ByteView) {});
      ASSERT_FALSE(read.has_value()) << c.text;
      EXPECT_EQ(MessageId::kSizeMismatch, read.error().id);
      EXPECT_EQ(c.expected, read.error().text);
      EXPECT_EQ(c.causes, read.error().causes.size());
    }
  }
}

TEST_F(LooseObjectTest, ReadErrorsAreFaults) {
  const ObjectId id = testing::put_object(root_, "blob", "content");
  for (int call = 0; call < 3; ++call) {  // open, status, read
    system_.fail_call(call, EIO);
    const auto object = read(id);
    ASSERT_FALSE(object.has_value()) << call;
    EXPECT_NE(std::string::npos, object.error().text.find("Input/output error")) << call;
    EXPECT_FALSE(system_.failed().empty());
  }
  system_.fail_call(-1, 0);
  EXPECT_TRUE(read(id).has_value());
  EXPECT_EQ(3, system_.calls());
}

TEST_F(LooseObjectTest, AFileThatShrinksWhileReadIsCorrupt) {
  const std::string text = with_header("blob", std::string(200000, 'x') + "y");
  const ObjectId id = id_of(text);
  testing::put_file(root_, id, deflated(text, 0));
  int reads = 0;
  system_.before_each([&](const std::string& name) {
    if (name == "read" && ++reads == 2) std::filesystem::resize_file(place(id).name, 1000);
  });
  const auto object = read(id);
  ASSERT_FALSE(object.has_value());
  EXPECT_EQ("unable to unpack contents of P", object.error().text);
}

}  // namespace
}  // namespace assay
