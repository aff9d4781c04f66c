#include "store/index/resolve_undo.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"
#include "tests/support/index_builder.h"

namespace assay {
namespace {

using testing::id_of_digit;
using testing::raw_text;

std::optional<std::vector<ResolveUndoEntry>> parse(std::string_view text) {
  return parse_resolve_undo(as_bytes(text), HashKind::kSha1);
}
const std::string kNul(1, '\0');
// Stages 1 and 3 existed.
const std::string kEntry = "dir/f" + kNul + "100644" + kNul + "0" + kNul + "100755" + kNul +
                           raw_text(id_of_digit('a')) + raw_text(id_of_digit('b'));

TEST(ResolveUndo, ReadsStages) {
  const auto entries = parse(kEntry + kEntry);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  const ResolveUndoEntry& entry = entries->front();
  EXPECT_EQ(entry.path, "dir/f");
  EXPECT_EQ(entry.modes, (std::array<std::uint32_t, 3>{0100644, 0, 0100755}));
  EXPECT_EQ(entry.ids[0], id_of_digit('a'));
  EXPECT_TRUE(entry.ids[1].is_null());
  EXPECT_EQ(entry.ids[2], id_of_digit('b'));
  EXPECT_TRUE(parse("")->empty());
}

TEST(ResolveUndo, RefusesWhatIsMalformed) {
  EXPECT_FALSE(parse("dir/f"));
  EXPECT_FALSE(parse("dir/f" + kNul + "8" + kNul + "0" + kNul + "0" + kNul));  // not octal
  EXPECT_FALSE(parse("dir/f" + kNul + kNul + "0" + kNul + "0" + kNul));        // no mode
  EXPECT_FALSE(parse("dir/f" + kNul + "0" + kNul + "0" + kNul + "0"));
  EXPECT_TRUE(parse("dir/f" + kNul + "0" + kNul + "0" + kNul + "0" + kNul));
  EXPECT_FALSE(parse(kEntry.substr(0, kEntry.size() - 1)));
}

TEST(ResolveUndo, SurvivesDamage) {
  std::size_t refused = 0;
  testing::for_each_damage(as_bytes(kEntry), [&](ByteView bytes) {
    refused += parse_resolve_undo(bytes, HashKind::kSha1) ? 0 : 1;
  });
  EXPECT_GT(refused, kEntry.size() - 1);
}

}  // namespace
}  // namespace assay
