// The quick tests of a walk over trees against the full check, on random and on damaged trees.
#include "store/fsck/rules/tree_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/fsck/dotgit_name.h"
#include "store/fsck/rules/object_rules.h"

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr HashKind kSha1 = HashKind::kSha1;

struct Item {
  std::string mode;
  std::string name;
  char id;
};

std::string text_of(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    text += item.mode + " " + item.name + '\0' + std::string(id_size(kSha1), item.id);
  }
  return text;
}

// What a caller does that walks the entries anyway (see tree_rules.h).
struct Walk {
  bool unusual = false;
  std::uint32_t pairs = 0;
  SpecialBlobs special;
};

Walk walk(ByteView rest, std::size_t max_name_size) {
  Walk result;
  TreeOrder order;
  TreeEntry entry;
  TreeEntry previous;
  bool first = true;
  while (!rest.empty()) {
    if (!parse_tree_entry(rest, kSha1, entry)) {
      result.unusual = true;
      break;
    }
    const std::uint32_t quick = quick_problems(entry, max_name_size);
    if (quick != 0) result.unusual |= inspect_entry(entry, quick, kSha1, result.special);
    result.unusual |= order.add(entry);
    if (!first) result.pairs |= pair_order(previous, entry);
    previous = entry;
    first = false;
    rest = rest.subspan(entry.size);
  }
  return result;
}

std::string told(FindingList& list) {
  std::string names;
  for (const Finding& finding : list.findings())
    names += std::string(message(finding.id).name) + " ";
  return names;
}

// Names made of the pieces that matter, so that most trees are special in some way.
class RandomTrees {
 public:
  std::vector<Item> next() {
    std::vector<Item> items(random_(generator_) % 6);
    const bool wild = random_(generator_) % 2 == 0;
    for (Item& item : items) {
      item.mode = wild ? pick(kAllModes) : pick(kGoodModes);
      const std::size_t pieces = 1 + random_(generator_) % 3;
      for (std::size_t i = 0; i < pieces; ++i)
        item.name += wild ? pick(kPieces) : pick(kPlainPieces);
      item.id = wild && random_(generator_) % 16 == 0 ? '\0' : '3';
    }
    if (random_(generator_) % 4 != 0) std::sort(items.begin(), items.end(), in_order);
    return items;
  }

 private:
  static bool in_order(const Item& a, const Item& b) {
    const auto key = [](const Item& item) {
      return item.mode.starts_with('4') || item.mode.starts_with("04") ? item.name + "/"
                                                                       : item.name;
    };
    return key(a) < key(b);
  }

  template <typename Choices>
  std::string pick(const Choices& choices) {
    return std::string(choices[random_(generator_) % std::size(choices)]);
  }

  static constexpr std::string_view kGoodModes[] = {"100644", "100755", "120000", "40000",
                                                    "40000",  "160000", "100644", "100644"};
  static constexpr std::string_view kAllModes[] = {"100644", "40000", "120000", "160000",
                                                   "100644", "40000", "040000", "100664",
                                                   "100666", "0",     "140000", "100644"};
  static constexpr std::string_view kPlainPieces[] = {"a",  "b", "a",    "-",        "0",
                                                      "x.", ".", "ab!c", "abcdefghi"};
  static constexpr std::string_view kPieces[] = {
      ".",        "..",    ".git",   "git",         "git~1",  "modules",      "MODULES",
      "~1",       "~",     "gi7eba", ".gitmodules", "attrib", "gitatt~2",     "mailma",
      ".mailmap", "\\",    "/",      ":",           " ",      "\xe2\x80\x8c", "\xef\xbb\xbf",
      "\xff",     "a",     "b",      "-",           "0",      ".gitignore",   ".gitattributes",
      "GI250A",   "maba30"};

  std::mt19937 generator_{20240229};
  std::uniform_int_distribution<std::uint32_t> random_;
};

TEST(TreeRules, WhatTheQuickTestsPassRaisesNothing) {
  Policy strict;
  strict.set_strict(true);
  ASSERT_TRUE(strict.configure("largePathname", "error:12"));
  RandomTrees trees;
  FindingList list;
  RuleReporter reporter(strict, list);
  reporter.begin(ObjectType::kTree, ObjectId());
  int passed = 0;
  int special = 0;
  int false_alarms = 0;
  for (int round = 0; round < 1'000'000; ++round) {
    const std::string text = text_of(trees.next());
    const ByteView tree = as_bytes(text);
    const Walk quick = walk(tree, strict.max_pathname_size());
    SpecialBlobs exact;
    list.findings().clear();
    check_tree_rules(tree, kSha1, reporter, exact);
    if (quick.unusual) {
      if (list.findings().empty()) ++false_alarms;
      continue;
    }
    ++passed;
    ASSERT_TRUE(list.findings().empty()) << told(list) << text;
    ASSERT_EQ(quick.special.gitmodules(), exact.gitmodules()) << text;
    ASSERT_EQ(quick.special.gitattributes(), exact.gitattributes()) << text;
    if (!exact.gitmodules().empty() || !exact.gitattributes().empty()) ++special;
    // Bits over all pairs say the same, if less precisely.
    ASSERT_EQ(quick.pairs & kPairWrong, 0U) << text;
  }
  // The trees are neither all harmless nor all harmful, and the quick tests are rarely wrong.
  EXPECT_GT(passed, 200'000);
  EXPECT_GT(special, 1'000);
  EXPECT_LT(false_alarms, 5'000);
}

TEST(TreeRules, PairsTellOfEveryDuplicate) {
  Policy policy;
  RandomTrees trees;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kTree, ObjectId());
  int apart = 0;
  for (int round = 0; round < 100'000; ++round) {
    const std::string text = text_of(trees.next());
    const Walk quick = walk(as_bytes(text), 4096);
    SpecialBlobs special;
    list.findings().clear();
    check_tree_rules(as_bytes(text), kSha1, reporter, special);
    const std::string names = told(list);
    if (names.find("treeNotSorted") == std::string::npos &&
        names.find("duplicateEntries") == std::string::npos) {
      continue;
    }
    if ((quick.pairs & kPairWrong) != 0) continue;
    ++apart;
    EXPECT_EQ(quick.pairs & (kPairOpens | kPairCloses), kPairOpens | kPairCloses) << text;
  }
  EXPECT_GT(apart, 10);
}

// One tree that breaks most rules; each truncation in a buffer of its own, each byte at each value.
TEST(TreeRules, EveryTruncationAndFlip) {
  const std::string text = text_of({{"100644", ".", '3'},
                                    {"40000", "..", '3'},
                                    {"040000", ".git", '3'},
                                    {"120000", ".gitmodules", '3'},
                                    {"100664", "a/b", '\0'},
                                    {"100644", "x\\.git", '3'},
                                    {"100644", "x", '3'},
                                    {"100644", "x.1", '3'},
                                    {"40000", "x", '3'}});
  Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kTree, ObjectId());
  SpecialBlobs special;
  check_tree_rules(as_bytes(text), kSha1, reporter, special);
  EXPECT_EQ(told(list),
            "gitmodulesSymlink nullSha1 fullPathname hasDot hasDotdot hasDotgit "
            "zeroPaddedFilemode duplicateEntries treeNotSorted ");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto exact = std::make_unique<std::uint8_t[]>(size);
    std::copy_n(text.begin(), size, exact.get());
    list.findings().clear();
    check_tree_rules({exact.get(), size}, kSha1, reporter, special);
    EXPECT_LE(list.findings().size(), 12U);
    const bool whole = size == 0 || walk({exact.get(), size}, 4096).unusual;
    EXPECT_TRUE(whole || list.findings().empty()) << size;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(value);
      list.findings().clear();
      check_tree_rules(as_bytes(flipped), kSha1, reporter, special);
      EXPECT_LE(list.findings().size(), 12U);
    }
  }
}

TEST(TreeRules, CommitsAndTagsEveryTruncationAndFlip) {
  const std::string ident = " A U Thor <a@b> 1112911993 -0700\n";
  const std::pair<ObjectType, std::string> objects[] = {
      {ObjectType::kCommit, "tree " + std::string(40, 'a') + "\nparent " + std::string(40, 'b') +
                                "\nauthor" + ident + "committer" + ident + "\nx\n"},
      {ObjectType::kTag, "object " + std::string(40, 'a') + "\ntype commit\ntag v1\ntagger" +
                             ident + "gpgsig x\n y\n\nx\n"},
  };
  Policy policy;
  ASSERT_TRUE(policy.configure("extraHeaderEntry", "error"));
  // With a skip list nothing ends a check, so that each line of it runs.
  Policy patient = policy;
  ASSERT_TRUE(patient.add_skip_list(std::string(40, '0'), kSha1));
  for (const Policy& each : {policy, patient}) {
    FindingList list;
    RuleReporter reporter(each, list);
    SpecialBlobs special;
    for (const auto& [type, text] : objects) {
      reporter.begin(type, ObjectId());
      check_object_rules(type, as_bytes(text), kSha1, reporter, special);
      EXPECT_TRUE(list.findings().empty()) << told(list);
      for (std::size_t size = 0; size < text.size(); ++size) {
        const auto exact = std::make_unique<std::uint8_t[]>(size);
        std::copy_n(text.begin(), size, exact.get());
        list.findings().clear();
        check_object_rules(type, {exact.get(), size}, kSha1, reporter, special);
        // Sound once the last line that must be there is, and the last line has its end.
        const bool sound = size >= text.rfind(ident) + ident.size() &&
                           (text[size - 1] == '\n' || size > text.find("\n\n") + 1);
        EXPECT_EQ(list.findings().empty(), sound || each.skips(ObjectId())) << size;
      }
      for (std::size_t i = 0; i < text.size(); ++i) {
        for (int value = 0; value < 256; ++value) {
          std::string flipped = text;
          flipped[i] = static_cast<char>(value);
          list.findings().clear();
          check_object_rules(type, as_bytes(flipped), kSha1, reporter, special);
          EXPECT_LE(list.findings().size(), 3U);
        }
      }
      list.findings().clear();
    }
  }
}

TEST(TreeRules, BlobsAreCollectedWhateverTheirMode) {
  Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kTree, ObjectId());
  SpecialBlobs special;
  check_tree_rules(as_bytes(text_of({{"100644", ".gitattributes", '1'},
                                     {"40000", ".gitmodules", '2'},
                                     {"160000", "GITATT~1", '3'},
                                     {"100755", "x\\.gitmodules", '4'},
                                     {"120000", "y", '5'}})),
                   kSha1, reporter, special);
  EXPECT_EQ(told(list), "");
  const auto id = [](char c) {
    return ObjectId::from_raw(reinterpret_cast<const std::uint8_t*>(std::string(20, c).data()),
                              kSha1);
  };
  EXPECT_EQ(special.gitmodules(), (SpecialBlobs::Ids{id('2'), id('4')}));
  EXPECT_EQ(special.gitattributes(), (SpecialBlobs::Ids{id('1'), id('3')}));
}

TEST(TreeRules, ParserWordsAreTheCause) {
  Policy policy;
  FindingList list;
  RuleReporter reporter(policy, list);
  reporter.begin(ObjectType::kTree, ObjectId());
  SpecialBlobs special;
  const std::string bad = text_of({{"100644", "a", '1'}}) + text_of({{"100684", "b", '1'}});
  check_tree_rules(as_bytes(bad), kSha1, reporter, special);
  ASSERT_EQ(list.findings().size(), 1U);
  EXPECT_EQ(list.findings()[0].text, "cannot be parsed as a tree");
  EXPECT_EQ(list.findings()[0].causes, std::vector<std::string>{"malformed mode in tree entry"});
}

}  // namespace
}  // namespace assay
