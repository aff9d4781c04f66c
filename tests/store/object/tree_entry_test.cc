#include "store/object/tree_entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr HashKind kSha1 = HashKind::kSha1;

std::string entry_text(std::string_view mode, std::string_view name, HashKind kind = kSha1) {
  return std::string(mode) + " " + std::string(name) + '\0' + std::string(id_size(kind), '3');
}

// A tree in a buffer of exactly its size, so that a sanitizer sees a read past it.
class ExactTree {
 public:
  explicit ExactTree(std::string_view text)
      : size_(text.size()), bytes_(std::make_unique<std::uint8_t[]>(text.size())) {
    std::copy(text.begin(), text.end(), bytes_.get());
  }
  ByteView view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::uint8_t[]> bytes_;
};

std::vector<TreeEntry> parse_all(ByteView rest, HashKind kind = kSha1) {
  std::vector<TreeEntry> entries;
  TreeEntry entry;
  while (!rest.empty() && parse_tree_entry(rest, kind, entry)) {
    entries.push_back(entry);
    rest = rest.subspan(entry.size);
  }
  EXPECT_TRUE(rest.empty());
  return entries;
}

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

std::uint32_t order_of(std::string_view first_mode, std::string_view first,
                       std::string_view second_mode, std::string_view second) {
  const ExactTree tree(entry_text(first_mode, first) + entry_text(second_mode, second));
  const auto entries = parse_all(tree.view());
  const std::uint32_t order = pair_order(entries.at(0), entries.at(1));
  EXPECT_EQ(may_be_duplicate_or_unsorted(entries[0], entries[1]), order != 0);
  return order;
}

TEST(TreeEntry, PairOrder) {
  constexpr std::string_view kFile = "100644";
  constexpr std::string_view kDirectory = "40000";
  EXPECT_EQ(order_of(kFile, "a", kFile, "b"), 0U);
  EXPECT_EQ(order_of(kFile, "b", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "a", kDirectory, "a"), kPairWrong);
  EXPECT_EQ(order_of(kDirectory, "a", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a0"), 0U);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a.c"), kPairOpens);
  EXPECT_EQ(order_of(kFile, "a", kDirectory, "a.c"), kPairOpens);
  EXPECT_EQ(order_of(kFile, "a", kFile, "a/c"), 0U);
  EXPECT_EQ(order_of(kDirectory, "a", kFile, "a.c"), kPairWrong);
  EXPECT_EQ(order_of(kDirectory, "a", kFile, "a0"), 0U);
  EXPECT_EQ(order_of(kFile, "a.c", kDirectory, "a"), kPairCloses);
  EXPECT_EQ(order_of(kFile, "a0", kDirectory, "a"), kPairWrong);
  EXPECT_EQ(order_of(kFile, "ab", kFile, "a"), kPairWrong);
  EXPECT_EQ(order_of("160000", "a", kFile, "a-b"), kPairOpens) << "a gitlink sorts as a file";
  EXPECT_EQ(order_of(kFile, "\x7f", kFile, "\x80"), 0U) << "bytes are unsigned";
  EXPECT_EQ(order_of(kFile, "\xff", kFile, "z"), kPairWrong);
}

// The difference, or the end of the shorter name, at each place of a block.
TEST(TreeEntry, PairOrderAtEveryPlace) {
  for (std::size_t shared = 0; shared < 40; ++shared) {
    const std::string start(shared, 'x');
    EXPECT_EQ(order_of("100644", start + "a~~~", "100644", start + "b"), 0U);
    EXPECT_EQ(order_of("100644", start + "b", "100644", start + "a~~~"), kPairWrong);
    EXPECT_EQ(order_of("100644", start + "b" + start, "100644", start + "b" + start), kPairWrong);
    if (shared == 0) continue;
    EXPECT_EQ(order_of("100644", start, "100644", start + "a" + start), 0U);
    EXPECT_EQ(order_of("100644", start, "100644", start + "-" + start), kPairOpens);
    EXPECT_EQ(order_of("100644", start + "-" + start, "40000", start), kPairCloses);
    EXPECT_EQ(order_of("100644", start + "a" + start, "100644", start), kPairWrong);
  }
}

bool order_is_unusual(const std::vector<std::pair<std::string_view, std::string>>& entries) {
  std::string text;
  for (const auto& [mode, name] : entries) text += entry_text(mode, name);
  const ExactTree tree(text);
  TreeOrder order;
  bool unusual = false;
  for (const TreeEntry& entry : parse_all(tree.view())) unusual |= order.add(entry);
  return unusual;
}

TEST(TreeEntry, TreeOrder) {
  EXPECT_FALSE(order_is_unusual({}));
  EXPECT_FALSE(order_is_unusual({{"100644", "a"}, {"40000", "b"}}));
  // Common in real trees, and harmless: a file that opens and a directory that closes another name.
  EXPECT_FALSE(order_is_unusual({{"100644", "gitk"},
                                 {"40000", "gitk-git"},
                                 {"100644", "refs.c"},
                                 {"100644", "refs.h"},
                                 {"40000", "refs"}}));
  EXPECT_TRUE(order_is_unusual(
      {{"100644", "refs"}, {"100644", "refs.c"}, {"100644", "refs.h"}, {"40000", "refs"}}));
  EXPECT_TRUE(order_is_unusual({{"100644", "b"}, {"100644", "a"}}));
  // More open names than are remembered.
  std::vector<std::pair<std::string_view, std::string>> deep = {{"100644", "x"}};
  for (int i = 0; i < 16; ++i) deep.emplace_back("100644", deep.back().second + "!");
  EXPECT_FALSE(order_is_unusual(deep));
  deep.emplace_back("100644", deep.back().second + "!");
  EXPECT_TRUE(order_is_unusual(deep));
}

TEST(TreeEntry, CompareIsGitsOrder) {
  const std::vector<std::pair<std::string_view, std::string_view>> sorted = {
      {"100644", "a"},    {"100644", "a-"},  {"100644", "a.c"}, {"40000", "a"},
      {"100644", "a0"},   {"100644", "ab"},  {"40000", "ab"},   {"100644", "b"},
      {"100644", "\x7f"}, {"40000", "\x80"}, {"100644", "\xff"}};
  std::string text;
  for (const auto& [mode, name] : sorted) text += entry_text(mode, name);
  const ExactTree tree(text);
  const auto entries = parse_all(tree.view());
  ASSERT_EQ(entries.size(), sorted.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t j = 0; j < entries.size(); ++j) {
      const int order = compare_tree_entries(entries[i], entries[j]);
      EXPECT_EQ(order < 0, i < j) << i << " " << j;
      EXPECT_EQ(order > 0, i > j) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace assay
