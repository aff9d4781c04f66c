#include "tools/bench/json_value.h"

#include <gtest/gtest.h>

#include "tools/common/json_writer.h"

namespace assay::tools {
namespace {

TEST(JsonValueTest, ReadsEveryKindOfValue) {
  const auto root = parse_json(
      " {\"text\": \"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\", \"number\": -12.5e2, \"yes\": "
      "true,\n"
      "\t\"no\":false, \"nothing\" : null, \"list\":[1,[ ],{},\"\"], \"zero\":0}\r\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->string_or("text", ""), "a\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(root->number_or("number", 0), -1250);
  EXPECT_TRUE(root->find("yes")->boolean);
  EXPECT_FALSE(root->find("no")->boolean);
  EXPECT_EQ(root->find("nothing")->kind, JsonValue::Kind::kNull);
  ASSERT_EQ(root->find("list")->items.size(), 4u);
  EXPECT_EQ(root->find("list")->items[0].number, 1);
  EXPECT_EQ(root->find("list")->items[1].kind, JsonValue::Kind::kArray);
  EXPECT_EQ(root->find("list")->items[2].kind, JsonValue::Kind::kObject);
  EXPECT_EQ(root->number_or("zero", 1), 0);
  EXPECT_EQ(root->find("absent"), nullptr);
  EXPECT_EQ(root->number_or("text", 3), 3);
  EXPECT_EQ(root->string_or("number", "other"), "other");
}

TEST(JsonValueTest, RefusesWhatIsNotOneValue) {
  for (const char* text :
       {"",         " ",     "{",          "}",      "[1,]",    "[1 2]",     "{\"a\"}",
        "{\"a\":}", "{a:1}", "{\"a\":1,}", "\"open", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
        "\"\n\"",   "nul",   "truee",      "1 2",    "+1",      "-",         ".5",
        "inf",      "nan",   "-inf",       "[1]]",   "'a'"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(JsonValueTest, RefusesDeepNestingInsteadOfOverflowing) {
  EXPECT_TRUE(parse_json(std::string(60, '[') + std::string(60, ']')));
  EXPECT_FALSE(parse_json(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(JsonValueTest, QuotedTextReadsBackEqual) {
  std::string text;
  for (int c = 1; c < 128; ++c) text += static_cast<char>(c);
  text += "\xc3\xa9";
  const auto value = parse_json(json_string(text));
  ASSERT_TRUE(value);
  EXPECT_EQ(value->string, text);
}

}  // namespace
}  // namespace assay::tools
