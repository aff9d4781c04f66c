#include "store/repository/grafts.h"

#include <gtest/gtest.h>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::id_of_digit;
const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kC(40, 'c');

Grafts parse(std::string_view text) { return parse_grafts(as_bytes(text), HashKind::kSha1); }

TEST(Grafts, ReadsParents) {
  const Grafts grafts = parse("# comment\n\n" + kA + " " + kB + "\t" + kC + "  \n" + kB + "\r\n");
  EXPECT_TRUE(grafts.problems.empty());
  ASSERT_EQ(grafts.parents.size(), 2U);
  EXPECT_EQ(grafts.parents.at(id_of_digit('a')),
            (std::vector<ObjectId>{id_of_digit('b'), id_of_digit('c')}));
  EXPECT_TRUE(grafts.parents.at(id_of_digit('b')).empty());
}

TEST(Grafts, SkipsAndNamesBadLines) {
  for (const std::string& bad : {std::string("junk"), kA + "  " + kB, kA + " " + kB + "x",
                                 kA.substr(1), kA + " x", " " + kA}) {
    const Grafts grafts = parse(bad + "\n" + kC + "\n");
    ASSERT_EQ(grafts.problems.size(), 1U) << bad;
    EXPECT_EQ(grafts.problems[0].text, "bad graft data: " + bad);
    EXPECT_EQ(grafts.parents.size(), 1U);
  }
}

TEST(Grafts, KeepsTheFirstOfTwo) {
  const Grafts grafts = parse(kA + " " + kB + "\n" + kA + "\n");
  EXPECT_EQ(grafts.parents.at(id_of_digit('a')).size(), 1U);
  ASSERT_EQ(grafts.problems.size(), 1U);
  EXPECT_EQ(grafts.problems[0].text, "duplicate graft data: " + kA);
  EXPECT_EQ(grafts.problems[0].offset, 82U);
}

TEST(Grafts, SurvivesDamage) {
  std::size_t bad = 0;
  testing::for_each_damage(as_bytes(kA + " " + kB + "\n" + kC + "\n"), [&](ByteView bytes) {
    bad += parse_grafts(bytes, HashKind::kSha1).problems.size();
  });
  EXPECT_GT(bad, 100U);
}

}  // namespace
}  // namespace assay
