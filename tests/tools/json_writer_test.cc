// Text of any bytes becomes JSON that another parser reads, and comes back whole.
#include "tools/common/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/json.h"
#include "tests/support/random.h"

namespace assay::tools {
namespace {

using nlohmann::json;
using testing::decode_base64;
using testing::json_bytes;

json written(std::string_view text) { return json::parse(JsonObject().text("name", text).str()); }

TEST(JsonWriter, AnEmptyObject) { EXPECT_EQ("{}", JsonObject().str()); }

TEST(JsonWriter, FieldsOfEveryKindInOrder) {
  const std::vector<std::string> texts = {"a", "b"};
  const std::vector<JsonObject> objects(2, JsonObject().number("n", 1));
  const std::string line = JsonObject()
                               .text("t", "x")
                               .texts("ts", texts)
                               .number("n", ~std::uint64_t{0})
                               .real("r", 0.125, 2)
                               .boolean("b", false)
                               .object("o", JsonObject())
                               .objects("os", objects)
                               .str();
  EXPECT_EQ(R"({"t":"x","ts":["a","b"],"n":18446744073709551615,"r":0.12,"b":false,"o":{},)"
            R"("os":[{"n":1},{"n":1}]})",
            line);
  EXPECT_EQ(~std::uint64_t{0}, json::parse(line)["n"].get<std::uint64_t>());
}

TEST(JsonWriter, ValidTextStaysReadable) {
  EXPECT_EQ("{\"name\":\"Zo\xc3\xab/\xe6\x97\xa5\xf0\x9f\x90\x99\"}",
            JsonObject().text("name", "Zo\xc3\xab/\xe6\x97\xa5\xf0\x9f\x90\x99").str());
}

TEST(JsonWriter, WhatActsOnATerminalIsEscaped) {
  const std::string hostile = std::string("\"\\\n\r\t\x1b[31m\x7f\xc2\x9b\0", 14) +
                              "\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf";
  EXPECT_EQ(R"({"name":"\"\\\n\u000d\t\u001b[31m\u007f\u009b\u0000\u2028\u202e\u2066\ufeff"})",
            JsonObject().text("name", hostile).str());
  EXPECT_EQ(hostile, written(hostile)["name"].get<std::string>());
}

TEST(JsonWriter, EveryCodePointComesBack) {
  std::string all;
  const auto append = [&all](std::uint32_t value) {
    const auto byte = [&all](std::uint32_t bits) { all += static_cast<char>(bits); };
    if (value < 0x80) {
      byte(value);
    } else if (value < 0x800) {
      byte(0xc0 | value >> 6);
      byte(0x80 | (value & 63));
    } else if (value < 0x10000) {
      byte(0xe0 | value >> 12);
      byte(0x80 | (value >> 6 & 63));
      byte(0x80 | (value & 63));
    } else {
      byte(0xf0 | value >> 18);
      byte(0x80 | (value >> 12 & 63));
      byte(0x80 | (value >> 6 & 63));
      byte(0x80 | (value & 63));
    }
  };
  for (std::uint32_t value = 0; value < 0x110000; ++value) {
    if (value < 0xd800 || value > 0xdfff) append(value);
  }
  EXPECT_TRUE(is_utf8(all));
  const json back = written(all);
  EXPECT_FALSE(back.contains("name_base64"));
  EXPECT_TRUE(all == back["name"].get<std::string>());
}

TEST(JsonWriter, BytesThatAreNoTextStandBesideIt) {
  const std::string line = JsonObject().text("name", "caf\xe9 \xff").str();
  EXPECT_EQ("{\"name\":\"caf\xef\xbf\xbd \xef\xbf\xbd\",\"name_base64\":\"Y2Fm6SD/\"}", line);
  EXPECT_EQ("caf\xe9 \xff", json_bytes(json::parse(line), "name"));
}

TEST(JsonWriter, MalformedUtf8IsNone) {
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x90", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xff", "\xe2(\xa1", "a\xfe"}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_EQ(bad, json_bytes(written(bad), "name"));
  }
}

TEST(JsonWriter, RandomBytesComeBackAlsoInArrays) {
  testing::Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> texts(1 + random.below(3));
    for (std::string& text : texts) {
      text.resize(random.below(20));
      for (char& c : text) c = static_cast<char>(random.below(256));
    }
    const json back = json::parse(JsonObject().texts("name", texts).text("one", texts[0]).str());
    EXPECT_EQ(texts[0], json_bytes(back, "one"));
    ASSERT_EQ(texts.size(), back["name"].size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(texts[i], back.contains("name_base64")
                              ? decode_base64(back["name_base64"][i].get<std::string>())
                              : back["name"][i].get<std::string>());
    }
  }
}

}  // namespace
}  // namespace assay::tools
