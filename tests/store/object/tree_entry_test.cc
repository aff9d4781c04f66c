#include "store/object/tree_entry.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/store/object/tree_text.h"

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr HashKind kSha1 = HashKind::kSha1;

TEST(TreeEntry, Fields) {
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    const std::string text = entry_text("100644", "file", kind) + entry_text("40000", "sub", kind);
    const ExactTree tree(text);
    const auto entries = parse_all(tree.view(), kind);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].mode, 0100644U);
    EXPECT_EQ(entries[0].mode_text, "100644");
    EXPECT_EQ(entries[0].name, "file");
    EXPECT_EQ(entries[0].id, tree.view().data() + 12);
    EXPECT_EQ(entries[0].size, 12 + id_size(kind));
    EXPECT_EQ(entries[1].mode, 040000U);
    EXPECT_EQ(entries[1].mode_text, "40000");
    EXPECT_EQ(entries[1].name, "sub");
    EXPECT_EQ(entries[1].size, 10 + id_size(kind));
  }
}

TEST(TreeEntry, ModesAsGitReadsThem) {
  const struct {
    std::string_view text;
    std::uint32_t mode;
    TreeObjectKind kind;
    bool unusual;
  } modes[] = {
      {"100644", 0100644, TreeObjectKind::kBlob, false},
      {"100755", 0100755, TreeObjectKind::kBlob, false},
      {"120000", 0120000, TreeObjectKind::kBlob, false},
      {"40000", 0040000, TreeObjectKind::kTree, false},
      {"160000", 0160000, TreeObjectKind::kGitlink, false},
      {"040000", 0040000, TreeObjectKind::kTree, true},
      {"100664", 0100664, TreeObjectKind::kBlob, true},
      {"40755", 0040755, TreeObjectKind::kTree, true},
      {"140000", 0140000, TreeObjectKind::kGitlink, true},
      {"170000", 0170000, TreeObjectKind::kGitlink, true},
      {"60000", 0060000, TreeObjectKind::kGitlink, true},
      {"0", 0, TreeObjectKind::kGitlink, true},
      {"1100644", 0100644, TreeObjectKind::kBlob, true},  // 16 bits are kept
      {"7777777777777777100644", 0100644, TreeObjectKind::kBlob, true},
      {"1006440", 0006440, TreeObjectKind::kGitlink, true},
  };
  for (const auto& mode : modes) {
    const ExactTree tree(entry_text(mode.text, "a"));
    const auto entries = parse_all(tree.view());
    ASSERT_EQ(entries.size(), 1U) << mode.text;
    EXPECT_EQ(entries[0].mode, mode.mode) << mode.text;
    EXPECT_EQ(entries[0].mode_text, mode.text);
    EXPECT_EQ(entry_kind(entries[0].mode), mode.kind) << mode.text;
    EXPECT_EQ((quick_problems(entries[0]) & kQuickMode) != 0, mode.unusual) << mode.text;
  }
}

TEST(TreeEntry, Malformed) {
  const std::string good = entry_text("100644", "a");
  const struct {
    std::string text;
    TreeEntryProblem problem;
  } cases[] = {
      {"", TreeEntryProblem::kTooShort},
      {good.substr(0, good.size() - 1), TreeEntryProblem::kTooShort},
      {good + "x", TreeEntryProblem::kTooShort},
      {std::string(22, '\0'), TreeEntryProblem::kTooShort},
      {std::string(23, '\0'), TreeEntryProblem::kMalformedMode},
      {entry_text("100684", "a"), TreeEntryProblem::kMalformedMode},
      {entry_text("", "a"), TreeEntryProblem::kMalformedMode},
      {entry_text("-40000", "a"), TreeEntryProblem::kMalformedMode},
      {" " + good, TreeEntryProblem::kMalformedMode},
      {std::string("100644") + '\0' + std::string(20, ' '), TreeEntryProblem::kMalformedMode},
      {std::string("40000a") + '\0' + std::string(20, ' '), TreeEntryProblem::kMalformedMode},
      {entry_text("100644", ""), TreeEntryProblem::kEmptyName},
      {entry_text("40000", ""), TreeEntryProblem::kEmptyName},
      {good + entry_text("100644", ""), TreeEntryProblem::kNone},
  };
  for (const auto& bad : cases) {
    const ExactTree tree(bad.text);
    TreeEntry entry;
    EXPECT_EQ(tree_entry_problem(tree.view(), kSha1), bad.problem) << bad.text;
    EXPECT_EQ(parse_tree_entry(tree.view(), kSha1, entry), bad.problem == TreeEntryProblem::kNone)
        << bad.text;
  }
  EXPECT_EQ(tree_entry_words(TreeEntryProblem::kTooShort), "too-short tree object");
  EXPECT_EQ(tree_entry_words(TreeEntryProblem::kMalformedMode), "malformed mode in tree entry");
  EXPECT_EQ(tree_entry_words(TreeEntryProblem::kEmptyName), "empty filename in tree entry");
}

// Every length of name, so that the NUL and each unusual byte fall on each place of a block.
TEST(TreeEntry, NamesOfEveryLength) {
  for (std::size_t size = 1; size <= 70; ++size) {
    const std::string plain(size, 'x');
    const ExactTree tree(entry_text("100644", plain));
    const auto entries = parse_all(tree.view());
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].name, plain);
    EXPECT_EQ(quick_problems(entries[0]), 0U);
    for (std::size_t i = 0; i < size; ++i) {
      for (const char byte : {'/', '\\', '~'}) {
        std::string name = plain;
        name[i] = byte;
        const ExactTree odd(entry_text("100644", name) + entry_text("100644", "z"));
        const auto both = parse_all(odd.view());
        ASSERT_EQ(both.size(), 2U);
        EXPECT_EQ(both[0].name, name);
        EXPECT_EQ(quick_problems(both[0]), static_cast<std::uint32_t>(kQuickName));
        EXPECT_EQ(quick_problems(both[1]), 0U);
      }
    }
  }
}

// An id may hold the bytes that matter in a name.
TEST(TreeEntry, UnusualBytesInTheIdMeanNothing) {
  for (const char byte : {'/', '\\', '~'}) {
    const ExactTree tree("100644 a" + std::string(1, '\0') + std::string(20, byte));
    EXPECT_EQ(quick_problems(parse_all(tree.view()).at(0)), 0U);
  }
}

std::uint32_t quick_of(std::string_view name) {
  const ExactTree tree(entry_text("100644", name));
  return quick_problems(parse_all(tree.view()).at(0));
}

TEST(TreeEntry, QuickNames) {
  for (const std::string_view name :
       {"a", "git", "gitmodules", "mailmap", ".cirrus.yml", ".travis.yml", ".a", "a.git", "...",
        "\xc3\xa4", "\xe3\x81\x82", "Makefile", "m", "G"}) {
    EXPECT_EQ(quick_of(name), name == "..." ? static_cast<std::uint32_t>(kQuickName) : 0U) << name;
  }
  for (const std::string_view name :
       {".", "..", ".git", ".gitmodules", ".mailmap", ".GIT", ".Mailmap", "git~1", "GI7EBA~1", "~1",
        "a/b", "a\\b", "\xe2\x80\x8c.git", "\xef\xbb\xbf.git", ".\xe2\x80\x8cgit",
        ".\xef\xbb\xbfg"}) {
    EXPECT_EQ(quick_of(name), static_cast<std::uint32_t>(kQuickName)) << name;
  }
}

TEST(TreeEntry, QuickNullIdAndLongName) {
  const ExactTree null("100644 a" + std::string(21, '\0'));
  EXPECT_EQ(quick_problems(parse_all(null.view()).at(0)), static_cast<std::uint32_t>(kQuickNullId));
  const ExactTree tree(entry_text("100644", std::string(10, 'x')));
  const TreeEntry entry = parse_all(tree.view()).at(0);
  EXPECT_EQ(quick_problems(entry, 10), 0U);
  EXPECT_EQ(quick_problems(entry, 9), static_cast<std::uint32_t>(kQuickLongName));
}

}  // namespace
}  // namespace assay
