#include "store/fsck/rules/portable_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_objects.h"

namespace assay {
namespace {

std::string judged(const std::vector<std::string>& names) {
  std::string tree;
  for (const std::string& name : names) tree += "100644 " + name + '\0' + std::string(20, 'i');
  Policy policy;
  FindingList findings;
  RuleReporter reporter(policy, findings);
  reporter.begin(ObjectType::kTree, testing::id_of_digit('a'));
  check_portable_names(as_bytes(tree), HashKind::kSha1, reporter);
  std::string lines;
  for (const Finding& finding : findings.findings()) {
    EXPECT_EQ(Severity::kWarn, finding.severity);
    EXPECT_EQ(ExitBit::kBitNone, finding.bit);
    lines += std::string(message(finding.id).name) + ": " + finding.text + "\n";
  }
  return lines;
}

std::string line(const std::string& text) { return text + "\n"; }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(PortableNames, NamesThatWindowsCannotKeep) {
  for (const char* name :
       {"con", "CON", "aux.c", "nul.tar.gz", "Com1", "lpt9.txt", "com\xc2\xb2", "conout$",
        "nul .txt", "a.", "a ", "a:b", "a?", "a\\b", "a\x01", "\"a\""}) {
    EXPECT_EQ(line("nameNotPortable: '" + std::string(name) + "' is no name for Windows"),
              judged({name}));
  }
  EXPECT_EQ("", judged({"conn", "aux1", "com0", "com10", "com", "lpt", "null", ".a", "a b", "a'b",
                        "xcon", "Console.c", "\xc3\xa9", "a\x7f"}));
  EXPECT_EQ(line("nameNotPortable: 'a.' is no name for Windows (and 2 more)"),
            judged({"a.", "b", "c ", "nul"}));
}

TEST(PortableNames, NamesThatAreOneWhereCaseOrCompositionDoNotCount) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"Makefile", "makefile"},
      {"\xc3\x89t\xc3\xa9", "\xc3\xa9T\xc3\xa9"},  // E acute
      {"\xc3\xa9", "e\xcc\x81"},                   // composed and not
      {"\xc3\x85", "a\xcc\x8a"},                   // A with ring, and a
      {"\xc5\xa0", "\xc5\xa1"},                    // S caron
      {"\xce\xa3", "\xcf\x83"},                    // Sigma
      {"\xd0\x96", "\xd0\xb6"},                    // Zhe
      {"\xcf\x82", "\xcf\x83"},                    // sigma at the end of a word
      {"\xe1\xba\xa4", "A\xcc\x82\xcc\x81"},       // A circumflex acute
      {"\xd5\x80", "\xd5\xb0"},                    // Armenian ho
  };
  for (const auto& [first, second] : pairs) {
    EXPECT_EQ(line("namesCollide: '" + first + "' and '" + second +
                   "' are one name where case or composition do not count"),
              judged({first, second}));
  }
  EXPECT_EQ(line("namesCollide: 'A' and 'a' are one name where case or composition do not count "
                 "(and 1 more)"),
            judged({"A", "B", "a", "b"}));
  EXPECT_EQ("", judged({"a", "\xc3\xa4", "\xc3\xa5", "e", "\xc3\xa9", "\xc3\xa8", "\xc3\x97",
                        "\xc3\xb7", "\xd0\xb5", "\xce\xb5", "\xff", "\xfe", "\xe9"}));
}

// Bytes that are no UTF-8 are kept apart from all that is.
TEST(PortableNames, FoldingTakesAnyBytes) {
  EXPECT_EQ(folded_name("aB"), folded_name("Ab"));
  EXPECT_NE(folded_name("\xc3"), folded_name("\xc3\x83"));
  EXPECT_NE(folded_name("\xe9"), folded_name("\xc3\xa9"));
  EXPECT_NE(folded_name("\xf0\x9f\x90"), folded_name("\xf0\x9f\x90\x99"));
  EXPECT_EQ(3U, folded_name("\xff\xc3(").size());
  // Two bytes become three code points.
  EXPECT_EQ(3U * 100, folded_name(repeated("\xce\x90", 100)).size());
}

}  // namespace
}  // namespace assay
