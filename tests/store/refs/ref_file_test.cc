#include "store/refs/ref_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::id_of_digit;
const std::string kHex(40, 'a');

Result<RefFile> parse(std::string_view text) {
  return parse_ref_file(as_bytes(text), HashKind::kSha1);
}

std::string error_of(std::string_view text) {
  const auto file = parse(text);
  return file ? "none" : file.error().text;
}

TEST(RefFile, ReadsIds) {
  const auto file = parse(kHex + "\n");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->is_symref);
  EXPECT_EQ(file->id, id_of_digit('a'));
  EXPECT_EQ(file->trailing, "\n");
  EXPECT_EQ(parse(kHex)->trailing, "");
  EXPECT_EQ(parse(kHex + "\tbranch 'x'\n")->trailing, "\tbranch 'x'\n");
  EXPECT_EQ(parse(std::string(40, 'A'))->id, id_of_digit('a'));
}

TEST(RefFile, EndsAtTheFirstNulAsACString) {
  const auto file = parse(kHex + std::string("\0\0", 2));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->trailing, "");
  EXPECT_EQ(parse(std::string("ref: refs/heads/x\0\n", 19))->target, "refs/heads/x");
}

TEST(RefFile, ReadsSymrefs) {
  const auto file = parse("ref: \t refs/heads/main \n\n");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_symref);
  EXPECT_EQ(file->target, "refs/heads/main");
  EXPECT_EQ(file->raw_target, "refs/heads/main \n\n");
  EXPECT_EQ(parse("ref:x")->target, "x");
  EXPECT_EQ(parse("ref:")->target, "");
  EXPECT_EQ(parse("ref: \n")->target, "");
}

TEST(RefFile, SaysWhatABrokenFileHolds) {
  EXPECT_EQ(error_of(""), "file is empty");
  EXPECT_EQ(error_of(std::string(41, '\0')), "file holds NUL bytes only");
  for (const std::string& text : {std::string("garbage\n"), kHex.substr(1) + "\n", kHex + "a\n",
                                  " " + kHex, std::string("\n"), std::string("\0x", 2)}) {
    EXPECT_EQ(error_of(text), "content is neither an object id nor a symbolic ref") << text;
  }
}

TEST(RefFile, WantsTheSizeOfTheHash) {
  EXPECT_FALSE(parse_ref_file(as_bytes(kHex + "\n"), HashKind::kSha256));
  const std::string hex64(64, 'b');
  EXPECT_EQ(parse_ref_file(as_bytes(hex64 + "\n"), HashKind::kSha256)->id,
            id_of_digit('b', HashKind::kSha256));
  EXPECT_FALSE(parse(hex64 + "\n"));
}

TEST(RefFile, SurvivesDamage) {
  std::size_t accepted = 0;
  for (const std::string& text : {kHex + "\n", std::string("ref: refs/heads/main\n")}) {
    const std::size_t calls = testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
      const auto file = parse_ref_file(bytes, HashKind::kSha1);
      accepted += file ? 1 : 0;
      if (!file) {
        EXPECT_EQ(file.error().id, MessageId::kRefUnreadable);
      }
    });
    EXPECT_GT(calls, 200U);
  }
  EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace assay
