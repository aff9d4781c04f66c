#include "store/refs/packed_refs.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_objects.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::id_of_digit;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kHeader = "# pack-refs with: peeled fully-peeled sorted \n";

PackedRefs parse(std::string_view text) {
  return parse_packed_refs(as_bytes(text), HashKind::kSha1);
}
std::string fault_of(std::string_view text) {
  const PackedRefs refs = parse(text);
  return refs.fault ? refs.fault->text : "none";
}

TEST(PackedRefs, ReadsRefsPeeledIdsAndTraits) {
  const PackedRefs refs =
      parse(kHeader + kA + " refs/heads/x\n" + kB + " refs/tags/v\n^" + kA + "\n");
  ASSERT_FALSE(refs.fault);
  EXPECT_TRUE(refs.peeled && refs.fully_peeled && refs.sorted);
  ASSERT_EQ(refs.refs.size(), 2U);
  EXPECT_EQ(refs.refs[0].name, "refs/heads/x");
  EXPECT_EQ(refs.refs[0].id, id_of_digit('a'));
  EXPECT_FALSE(refs.refs[0].peeled);
  EXPECT_EQ(refs.refs[1].peeled, id_of_digit('a'));
  EXPECT_EQ(refs.refs[1].line, 3U);
}

TEST(PackedRefs, NeedsNeitherHeaderNorOrder) {
  const PackedRefs refs = parse(kA + " refs/heads/z\n" + kB + " refs/heads/a\n");
  ASSERT_FALSE(refs.fault);
  EXPECT_FALSE(refs.sorted || refs.peeled);
  ASSERT_NE(refs.find("refs/heads/a"), nullptr);
  EXPECT_EQ(refs.find("refs/heads/a")->id, id_of_digit('b'));
  EXPECT_EQ(refs.find("refs/heads/b"), nullptr);
  EXPECT_FALSE(parse("").fault);
}

TEST(PackedRefs, KeepsBothOfTwoEqualNames) {
  const PackedRefs refs = parse(kA + " refs/heads/x\n" + kB + " refs/heads/x\n");
  ASSERT_EQ(refs.refs.size(), 2U);
  EXPECT_EQ(refs.find("refs/heads/x")->id, id_of_digit('a'));
}

TEST(PackedRefs, NamesTheLineThatGitDiesOfAndReadsOn) {
  const std::string good = kB + " refs/heads/y\n";
  const auto unexpected = [](const std::string& line) {
    return "unexpected line in packed-refs: " + line;
  };
  EXPECT_EQ(fault_of("junk\n" + good), unexpected("junk"));
  EXPECT_EQ(fault_of("^" + kA + "\n" + good), unexpected("^" + kA));
  EXPECT_EQ(fault_of(kA + " refs/tags/v\n^" + kA + "\n^" + kB + "\n" + good), unexpected("^" + kB));
  EXPECT_EQ(fault_of(kA + " refs/tags/v\n^" + kA.substr(1) + "\n" + good),
            unexpected("^" + kA.substr(1)));
  EXPECT_EQ(fault_of(kA + "\n" + good), unexpected(kA));
  EXPECT_EQ(fault_of("# pack-refs without\n" + good), unexpected("# pack-refs without"));
  EXPECT_EQ(fault_of(good + kA + " refs/heads/z"),
            "unterminated line in packed-refs: " + kA + " refs/heads/z");
  EXPECT_EQ(fault_of(std::string(90, 'x') + "\n" + good), unexpected(std::string(75, 'x') + "..."));
  EXPECT_EQ(fault_of(kA + std::string(" refs/x\0y\n", 10) + good),
            "packed refname contains embedded NULL: refs/x");
  EXPECT_EQ(fault_of(kA + " refs/../config\n" + good),
            "packed refname is dangerous: refs/../config");
  EXPECT_EQ(fault_of(kA + " \n" + good), "packed refname is dangerous: ");
  EXPECT_EQ(fault_of(good + kA + " refs/tags/v\n^" + kA), unexpected(kA + " refs/tags/v"));
  const PackedRefs refs = parse("junk\n" + good + "more\n");
  EXPECT_EQ(refs.fault->text, unexpected("junk"));
  EXPECT_EQ(refs.fault->id, MessageId::kPackedRefsBad);
  ASSERT_EQ(refs.refs.size(), 1U);
  EXPECT_EQ(refs.refs[0].name, "refs/heads/y");
}

TEST(PackedRefs, LetsBadButSafeNamesThrough) {
  const PackedRefs refs = parse(kA + " refs/heads/a b\n");
  EXPECT_FALSE(refs.fault);
  EXPECT_EQ(refs.refs.size(), 1U);
}

TEST(PackedRefs, SurvivesDamage) {
  const std::string text = kHeader + kA + " refs/heads/x\n" + kB + " refs/tags/v\n^" + kA + "\n";
  std::size_t faults = 0;
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    const PackedRefs refs = parse_packed_refs(bytes, HashKind::kSha1);
    EXPECT_LE(refs.refs.size(), 4U);
    faults += refs.fault ? 1 : 0;
  });
  EXPECT_GT(faults, 300U);
}

}  // namespace
}  // namespace assay
