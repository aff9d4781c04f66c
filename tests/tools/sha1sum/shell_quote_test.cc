#include "tools/sha1sum/shell_quote.h"

#include <gtest/gtest.h>

namespace assay::tools {
namespace {

// As sha1sum of coreutils 9.1 names files that are not there, in a UTF-8 locale.
TEST(ShellQuoteTest, QuotesAsCoreutilsDoes) {
  EXPECT_EQ(quote_for_shell("plain-name_1.txt"), "plain-name_1.txt");
  EXPECT_EQ(quote_for_shell("dir/a~b#c{d}@%+,"), "dir/a~b#c{d}@%+,");
  EXPECT_EQ(quote_for_shell("a:b"), "'a:b'");
  EXPECT_EQ(quote_for_shell("{"), "'{'");
  EXPECT_EQ(quote_for_shell(""), "''");
  EXPECT_EQ(quote_for_shell("sp ace"), "'sp ace'");
  EXPECT_EQ(quote_for_shell("it's"), "\"it's\"");
  EXPECT_EQ(quote_for_shell("#'a :b"), "\"#'a :b\"");
  EXPECT_EQ(quote_for_shell("*star's"), "'*star'\\''s'");
  EXPECT_EQ(quote_for_shell("a{b's"), "'a{b'\\''s'");
  EXPECT_EQ(quote_for_shell("t\t's"), "'t'$'\\t'\\''s'");
  EXPECT_EQ(quote_for_shell("q\"q"), "'q\"q'");
  EXPECT_EQ(quote_for_shell("both'\""), "'both'\\''\"'");
  EXPECT_EQ(quote_for_shell("do$x"), "'do$x'");
  EXPECT_EQ(quote_for_shell("nl\nx"), "'nl'$'\\n''x'");
  EXPECT_EQ(quote_for_shell("t\tb"), "'t'$'\\t''b'");
  EXPECT_EQ(quote_for_shell("a*b"), "'a*b'");
  EXPECT_EQ(quote_for_shell("a=b"), "'a=b'");
  EXPECT_EQ(quote_for_shell("a^b"), "'a^b'");
  EXPECT_EQ(quote_for_shell("~a"), "'~a'");
  EXPECT_EQ(quote_for_shell("#a"), "'#a'");
  EXPECT_EQ(quote_for_shell("b\\n"), "'b\\n'");
  EXPECT_EQ(quote_for_shell("\xc3\xa9"), "\xc3\xa9");
  EXPECT_EQ(quote_for_shell("\xe2\x82\xac\xf0\x9f\x98\x80"), "\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(quote_for_shell("\x80"), "''$'\\200'");
}

TEST(ShellQuoteTest, BytesThatAreNotUtf8AreEscaped) {
  for (const char* name : {"\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80", "\xff"}) {
    EXPECT_NE(quote_for_shell(name).find("$'\\"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay::tools
