#include "tools/sha1sum/checksum_line.h"

#include <gtest/gtest.h>

#include "store/base/object_id.h"

namespace assay::tools {
namespace {

constexpr const char* kHex = "a9993e364706816aba3e25717850c26c9cd0d89d";

sha1::Digest digest() {
  const ObjectId id = *ObjectId::from_hex(kHex, HashKind::kSha1);
  sha1::Digest digest;
  std::copy(id.data(), id.data() + digest.size(), digest.begin());
  return digest;
}

// Returns: the name, or "(none)".
std::string name_in(std::string line) {
  if (const auto at = line.find("HEX"); at != std::string::npos) line.replace(at, 3, kHex);
  ChecksumParser parser;
  const auto parsed = parser.parse(line);
  if (!parsed) return "(none)";
  EXPECT_EQ(parsed->digest, digest()) << line;
  return parsed->name;
}

TEST(ChecksumLineTest, ReadsEveryStyle) {
  EXPECT_EQ(name_in("HEX  file"), "file");
  EXPECT_EQ(name_in("HEX *file"), "file");
  EXPECT_EQ(name_in("HEX   file"), " file");
  EXPECT_EQ(name_in("HEX  file  "), "file  ");
  EXPECT_EQ(name_in(" \t HEX  file"), "file");
  EXPECT_EQ(name_in("HEX\t file"), "file");
  EXPECT_EQ(name_in("SHA1 (file) = HEX"), "file");
  EXPECT_EQ(name_in("SHA1(a)b)= HEX"), "a)b");
  EXPECT_EQ(name_in("SHA1 (file)\t=\tHEX"), "file");
  EXPECT_EQ(name_in("A9993E364706816ABA3E25717850C26C9CD0D89D  file"), "file");
  EXPECT_EQ(name_in("\\HEX  a\\nb\\\\c\\rd"), "a\nb\\c\rd");
  EXPECT_EQ(name_in("\\SHA1 (a\\nb) = HEX"), "a\nb");
  EXPECT_EQ(name_in("HEX  a\\nb"), "a\\nb");
  // A single character behind the blank is a name.
  EXPECT_EQ(name_in("HEX a"), "a");
  EXPECT_EQ(name_in("HEX *"), "*");
  EXPECT_EQ(name_in("HEX  "), " ");
}

TEST(ChecksumLineTest, TextEndsAtNul) {
  const std::string nul(1, '\0');
  EXPECT_EQ(name_in("HEX  file" + nul + "x"), "file");
  EXPECT_EQ(name_in("SHA1 (file" + nul + "x) = HEX"), "file");
  EXPECT_EQ(name_in("SHA1 (file) = HEX" + nul + "x"), "file");
}

TEST(ChecksumLineTest, RefusesOtherLines) {
  const std::string hex = kHex;
  for (const std::string& line : {std::string(),
                                  std::string("text"),
                                  hex,
                                  hex + " ",
                                  "\\" + hex + "  ",
                                  "\\" + hex + " a",
                                  hex + "a  file",
                                  hex.substr(1) + "  file",
                                  hex.substr(1) + "g  file",
                                  hex + "0  file",
                                  hex + "-*file",
                                  "\\" + hex + "  bad\\",
                                  "\\" + hex + "  bad\\x",
                                  "sha1 (file) = " + hex,
                                  "MD5 (file) = " + hex,
                                  "SHA1 (file = " + hex,
                                  "SHA1 (file) " + hex,
                                  "SHA1 (file) = " + hex + "0",
                                  "SHA1 (file) = " + hex.substr(1),
                                  "SHA1 file) = " + hex,
                                  "\\" + hex + "  nul" + std::string(1, '\0'),
                                  hex + std::string(1, '\0') + "  file"}) {
    EXPECT_EQ(name_in(line), "(none)") << line;
  }
}

// BSD's reversed mode has no type; a list is in one mode or the other.
TEST(ChecksumLineTest, ModesAreNotMixed) {
  const std::string hex = kHex;
  ChecksumParser reversed;
  EXPECT_EQ(reversed.parse(hex + " file")->name, "file");
  EXPECT_EQ(reversed.parse(hex + "  file")->name, " file");
  EXPECT_EQ(reversed.parse(hex + " *file")->name, "*file");
  ChecksumParser standard;
  EXPECT_EQ(standard.parse(hex + "  file")->name, "file");
  EXPECT_FALSE(standard.parse(hex + " file"));
}

TEST(ChecksumLineTest, WritesEveryStyle) {
  const std::string hex = kHex;
  EXPECT_EQ(format_checksum("f", digest(), LineStyle::kText, false), hex + "  f\n");
  EXPECT_EQ(format_checksum("f", digest(), LineStyle::kBinary, false), hex + " *f\n");
  EXPECT_EQ(format_checksum("f", digest(), LineStyle::kTagged, false), "SHA1 (f) = " + hex + "\n");
  EXPECT_EQ(format_checksum("a\nb\\c\rd", digest(), LineStyle::kText, false),
            "\\" + hex + "  a\\nb\\\\c\\rd\n");
  EXPECT_EQ(format_checksum("a\nb", digest(), LineStyle::kTagged, false),
            "\\SHA1 (a\\nb) = " + hex + "\n");
  EXPECT_EQ(format_checksum("a\nb", digest(), LineStyle::kText, true),
            hex + "  a\nb" + std::string(1, '\0'));
}

}  // namespace
}  // namespace assay::tools
