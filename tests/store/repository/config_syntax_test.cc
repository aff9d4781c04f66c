#include "store/repository/config_syntax.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/hostile.h"

namespace assay {
namespace {

// The variables as "key=value" (or "key" alone), or the fault.
std::string parse(std::string_view text) {
  const auto variables = parse_config_text(text, "f");
  if (!variables) return variables.error().text;
  std::string all;
  for (const ConfigVariable& variable : *variables) {
    all += variable.key + (variable.value ? "=" + *variable.value : "") + "|";
  }
  return all;
}

TEST(ConfigSyntax, ReadsSectionsAndNames) {
  EXPECT_EQ(parse("[core]\n\tbare = true\n"), "core.bare=true|");
  EXPECT_EQ(parse("[CoRe]BARE=x"), "core.bare=x|");
  EXPECT_EQ(parse("[remote \"Origin.X\"]\nURL = a\n"), "remote.Origin.X.url=a|");
  EXPECT_EQ(parse("[remote.Origin]\nurl = a\n"), "remote.origin.url=a|");
  EXPECT_EQ(parse("[a \"q\\\"\\\\z\"]\nb\n"), "a.q\"\\z.b|");
  EXPECT_EQ(parse("[a-1 \t \"\"]\nb-2c\n"), "a-1..b-2c|");
  EXPECT_EQ(parse("[a]\nb\n[c]\nd = 1\ne\n"), "a.b|c.d=1|c.e|");
  EXPECT_EQ(parse(""), "");
  EXPECT_EQ(parse("\xef\xbb\xbf[a]\nb\n"), "a.b|");
}

TEST(ConfigSyntax, ReadsValues) {
  const auto value = [](const std::string& text) { return parse("[a]\nb = " + text + "\n"); };
  EXPECT_EQ(value("x y  z  "), "a.b=x y  z|");
  EXPECT_EQ(value(""), "a.b=|");
  EXPECT_EQ(value("x # c"), "a.b=x|");
  EXPECT_EQ(value("x;c"), "a.b=x|");
  EXPECT_EQ(value("\"x # ; \" y"), "a.b=x # ;  y|");
  EXPECT_EQ(value("\"\""), "a.b=|");
  EXPECT_EQ(value("\" x \""), "a.b= x |");
  EXPECT_EQ(value("\\t\\n\\b\\\\\\\""), "a.b=\t\n\b\\\"|");
  EXPECT_EQ(value("one \\\n  two"), "a.b=one   two|");
  EXPECT_EQ(value("\"one\\\ntwo\""), "a.b=onetwo|");
  EXPECT_EQ(value("a=b"), "a.b=a=b|");
  EXPECT_EQ(value(std::string("x\0y", 3)), "a.b=x|");
  EXPECT_EQ(parse("[a]\r\nb = c\r\n"), "a.b=c|");
  EXPECT_EQ(parse("[a]\nb = c\rd\n"), "a.b=c\rd|");
  EXPECT_EQ(parse("# c\n; c\n[a] # c\n[b] c\n"), "b.c|");
  EXPECT_EQ(parse("[a]\nb \t = c"), "a.b=c|");
}

TEST(ConfigSyntax, CountsLinesAsGit) {
  const auto lines = [](std::string_view text) {
    std::string all;
    const auto variables = parse_config_text(text, "f");
    for (const ConfigVariable& variable : *variables) all += std::to_string(variable.line) + " ";
    return all;
  };
  EXPECT_EQ(lines("[a]\nb\nc = 1\n\nd = x\\\ny\ne"), "2 3 6 7 ");
}

TEST(ConfigSyntax, NamesTheBadLine) {
  const auto bad = [](int line) {
    return "bad config line " + std::to_string(line) + " in file f";
  };
  EXPECT_EQ(parse("[a]\n= x\n"), bad(2));
  EXPECT_EQ(parse("[a]\n1b = x\n"), bad(2));
  EXPECT_EQ(parse("[a]\nb_c = x\n"), bad(2));
  EXPECT_EQ(parse("[a]\nb x\n"), bad(2));
  EXPECT_EQ(parse("[a]\nb # x\n"), bad(2));
  EXPECT_EQ(parse("[a]\n\nb = \"open\nc = d\n"), bad(3));
  EXPECT_EQ(parse("[a]\nb = \\q\n"), bad(2));
  EXPECT_EQ(parse("[a \"b\n"), bad(1));
  EXPECT_EQ(parse("[a \"b\"\n"), bad(2));
  EXPECT_EQ(parse("[a b]\n"), bad(1));
  EXPECT_EQ(parse("[a \n"), bad(1));
  EXPECT_EQ(parse("[]\n"), bad(1));
  EXPECT_EQ(parse("[a!]\n"), bad(1));
  EXPECT_EQ(parse("[a"), bad(2));
  EXPECT_EQ(parse("\xef\xbb[a]\n"), bad(1));
  EXPECT_EQ(parse(std::string("[a]\n\0\n", 6)), bad(2));
}

TEST(ConfigSyntax, CanonicalKeys) {
  const auto canonical = [](std::string_view key) {
    return canonical_config_key(key).value_or("none");
  };
  EXPECT_EQ(canonical("Core.Bare"), "core.bare");
  EXPECT_EQ(canonical("Remote.Or.Igin.URL"), "remote.Or.Igin.url");
  for (const char* bad : {"", "core", ".bare", "core.", "core.1a", "co_re.bare", "core.ba_re",
                          "a.b\nc.d", "core.-x"}) {
    EXPECT_EQ(canonical(bad), "none") << bad;
  }
}

TEST(ConfigSyntax, Numbers) {
  EXPECT_EQ(parse_config_int("12"), 12);
  EXPECT_EQ(parse_config_int("-1k"), -1024);
  EXPECT_EQ(parse_config_int("2M"), 2 << 20);
  EXPECT_EQ(parse_config_int("3g"), std::int64_t{3} << 30);
  EXPECT_EQ(parse_config_int("0x10"), 16);
  EXPECT_EQ(parse_config_int("010"), 8);
  EXPECT_EQ(parse_config_int(" 1"), 1);
  EXPECT_EQ(parse_config_int("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"", "x", "1x", "1kk", "1 k", "k", "08"}) {
    const auto number = parse_config_int(bad);
    ASSERT_FALSE(number) << bad;
    EXPECT_EQ(number.error(), ConfigNumberError::kInvalidUnit) << bad;
  }
  for (const char* bad : {"9223372036854775808", "9007199254740993k", "-9007199254740993k"}) {
    const auto number = parse_config_int(bad);
    ASSERT_FALSE(number) << bad;
    EXPECT_EQ(number.error(), ConfigNumberError::kOutOfRange) << bad;
  }
}

TEST(ConfigSyntax, Booleans) {
  EXPECT_EQ(parse_config_bool(std::nullopt), true);
  for (const char* text : {"true", "YES", "On", "1", "-1", "2k"}) {
    EXPECT_EQ(parse_config_bool(text), true) << text;
  }
  for (const char* text : {"false", "No", "oFF", "0", "", "0x0"}) {
    EXPECT_EQ(parse_config_bool(text), false) << text;
  }
  for (const char* text : {"t", "maybe", "truex", "4294967296", "1x"}) {
    EXPECT_EQ(parse_config_bool(text), std::nullopt) << text;
  }
}

TEST(ConfigSyntax, SurvivesDamage) {
  const std::string text =
      "# c\n[core]\n\tbare = \"a b\" ; c\n[remote \"o\\\"x\"]\r\n\turl = a\\\nb\\t\n\tpromisor\n";
  std::size_t refused = 0;
  const std::size_t calls = testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    refused += parse_config_text(as_text(bytes), "f") ? 0 : 1;
  });
  EXPECT_GT(refused, 50U);
  EXPECT_LT(refused, calls);
}

}  // namespace
}  // namespace assay
