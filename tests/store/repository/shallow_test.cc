#include "store/repository/shallow.h"

#include <gtest/gtest.h>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::id_of_digit;
const std::string kA(40, 'a');
const std::string kB(40, 'b');

TEST(Shallow, ReadsIds) {
  const auto parse = [](std::string_view text) {
    return parse_shallow(as_bytes(text), HashKind::kSha1);
  };
  EXPECT_EQ(*parse(kA + "\n" + kB), (std::vector<ObjectId>{id_of_digit('a'), id_of_digit('b')}));
  EXPECT_TRUE(parse("")->empty());
  EXPECT_TRUE(parse(kA + " and more\n"));
  EXPECT_EQ(parse(kA + "\nx\n").error().text, "bad shallow line: x");
  EXPECT_EQ(parse(kA + "\n\n").error().text, "bad shallow line: ");
  EXPECT_EQ(parse(kA.substr(1) + "\n").error().offset, 0U);
  EXPECT_FALSE(parse_shallow(as_bytes(kA), HashKind::kSha256));
}

TEST(Shallow, SurvivesDamage) {
  std::size_t refused = 0;
  testing::for_each_damage(as_bytes(kA + "\n" + kB + "\n"), [&](ByteView bytes) {
    refused += parse_shallow(bytes, HashKind::kSha1) ? 0 : 1;
  });
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace assay
