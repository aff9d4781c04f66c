#include "store/object/object_header.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace assay {
namespace {

using namespace std::string_view_literals;

HeaderProblem problem_of(std::string_view text) {
  const auto header = parse_object_header(as_bytes(text));
  if (!header) return header.error();
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(ObjectHeader, RoundTrip) {
  for (const ObjectType type :
       {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{9}, std::uint64_t{10},
          std::uint64_t{1} << 32, std::numeric_limits<std::uint64_t>::max()}) {
      const ObjectHeaderText text(type, size);
      EXPECT_EQ(as_text(text.bytes()),
                std::string(type_name(type)) + " " + std::to_string(size) + '\0');
      const auto header = parse_object_header(text.bytes());
      ASSERT_TRUE(header);
      EXPECT_EQ(header->type, type);
      EXPECT_EQ(header->body_size, size);
      EXPECT_EQ(header->header_size, text.bytes().size());
    }
  }
}

TEST(ObjectHeader, BodyIsNotLookedAt) {
  const auto header = parse_object_header(as_bytes("blob 3\0a\0b"sv));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->header_size, 7U);
}

TEST(ObjectHeader, Grammar) {
  for (const std::string_view text :
       {"blob\0"sv, "blob \0"sv, "blob 05\0"sv, "blob 00\0"sv, "blob +5\0"sv, "blob -5\0"sv,
        "blob  5\0"sv, "blob 5 \0"sv, "blob 5x\0"sv, "blob 0x5\0"sv, "\0"sv, "blob\t5\0"sv,
        "blob 5\n\0"sv}) {
    EXPECT_EQ(problem_of(text), HeaderProblem::kGrammar) << text;
  }
  for (const std::string_view text :
       {"Blob 5\0"sv, "blobs 5\0"sv, " 5\0"sv, "BLOB 0\0"sv, "unknown 5\0"sv, "\x80 1\0"sv}) {
    EXPECT_EQ(problem_of(text), HeaderProblem::kUnknownType) << text;
  }
}

TEST(ObjectHeader, ThirtyTwoBytes) {
  EXPECT_EQ(problem_of(""), HeaderProblem::kUnterminated);
  EXPECT_EQ(problem_of("blob 5"), HeaderProblem::kUnterminated);
  const std::string longest = std::string(29, 'x') + " 5" + '\0';
  EXPECT_EQ(longest.size(), kMaxObjectHeaderSize);
  EXPECT_EQ(problem_of(longest), HeaderProblem::kUnknownType);
  EXPECT_EQ(problem_of("x" + longest), HeaderProblem::kUnterminated);
}

TEST(ObjectHeader, SizeOverflow) {
  EXPECT_EQ(problem_of("blob 18446744073709551616\0"sv), HeaderProblem::kSizeOverflow);
  EXPECT_EQ(problem_of("blob 99999999999999999999\0"sv), HeaderProblem::kSizeOverflow);
  EXPECT_EQ(problem_of("blob 99999999999999999999x\0"sv), HeaderProblem::kGrammar);
}

}  // namespace
}  // namespace assay
