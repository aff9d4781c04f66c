#include "store/object/tag.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

const std::string kTarget(40, 'a');
const ObjectId kSelf = *ObjectId::from_hex(std::string(40, '7'), HashKind::kSha1);

std::string error_of(const std::string& body) {
  const auto tag = parse_tag(as_bytes(body), kSelf);
  if (tag) return "none";
  EXPECT_EQ(tag.error().id, MessageId::kObjectNotParsed);
  return tag.error().text;
}

TEST(Tag, Link) {
  const std::string body = "object " + kTarget + "\ntype tree\ntag v1.0\ntagger x\n\nmessage\n";
  const auto tag = parse_tag(as_bytes(body), kSelf);
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->target.hex(), kTarget);
  EXPECT_EQ(tag->target_type, ObjectType::kTree);
  EXPECT_EQ(tag->name, "v1.0");
  for (const std::string type : {"commit", "tree", "blob", "tag"}) {
    EXPECT_EQ(error_of("object " + kTarget + "\ntype " + type + "\ntag xx\n"), "none") << type;
  }
  const std::string sha256 = "object " + std::string(64, 'a') + "\ntype blob\ntag x\n\n";
  EXPECT_TRUE(parse_tag(as_bytes(sha256), ObjectId::null(HashKind::kSha256)));
  EXPECT_FALSE(parse_tag(as_bytes(sha256), kSelf));
}

TEST(Tag, WordsOrSilence) {
  const std::string object = "object " + kTarget + "\n";
  EXPECT_EQ(error_of(object + "type branch\ntag x\n\n"),
            "unknown tag type 'branch' in " + kSelf.hex());
  EXPECT_EQ(error_of(object + "type \ntag xxxxxxxx\n\n"), "unknown tag type '' in " + kSelf.hex());
  EXPECT_EQ(error_of(object + "type " + std::string(19, 'x') + "\ntag x\n"),
            "unknown tag type '" + std::string(19, 'x') + "' in " + kSelf.hex());
  EXPECT_EQ(error_of(object + "type " + std::string(20, 'x') + "\ntag x\n"), "");
  EXPECT_EQ(error_of(object + "type a" + '\0' + "b\ntag xxxxxx\n"),
            "unknown tag type 'a' in " + kSelf.hex());
  EXPECT_EQ(error_of(object + "type blob" + '\0' + "b\ntag xxxxxx\n"), "none");
  EXPECT_EQ(error_of("Object " + kTarget + "\ntype blob\ntag x\n\n"), "");
  EXPECT_EQ(error_of("object " + std::string(40, 'g') + "\ntype blob\ntag x\n\n"), "");
  EXPECT_EQ(error_of("object " + kTarget + "1\ntype blob\ntag x\n\n"), "");
  EXPECT_EQ(error_of(object + "Type blob\ntag x\n\n"), "");
  EXPECT_EQ(error_of(object + "type blob\nTag x\n\n"), "");
  EXPECT_EQ(error_of(object + "type blob\ntag x xxxxxxxx"), "");
  // git wants 64 bytes, the tag line's included.
  EXPECT_EQ(error_of(object + "type blob\ntag \n"), "");
  EXPECT_EQ(error_of(object + "type blob\ntag x\n"), "none");
  EXPECT_EQ(error_of(object + "type commit\ntag "), "") << "no byte behind the word";
  EXPECT_EQ(error_of(object + "type commit\ntag \n"), "none");
}

TEST(Tag, EveryTruncationAndFlip) {
  const std::string body = "object " + kTarget + "\ntype blob\ntag v1\ntagger x\n\nx\n";
  for (std::size_t size = 0; size <= body.size(); ++size) {
    const std::string cut = body.substr(0, size);
    EXPECT_EQ(parse_tag(as_bytes(cut), kSelf).has_value(), size >= 65) << size;
  }
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string flipped = body;
      flipped[i] = static_cast<char>(value);
      const auto tag = parse_tag(as_bytes(flipped), kSelf);
      EXPECT_LE(tag ? tag->name.size() : 0U, 11U);
    }
  }
}

}  // namespace
}  // namespace assay
