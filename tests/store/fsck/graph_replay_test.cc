#include "store/fsck/graph_replay.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "store/fsck/storage.h"

namespace assay {
namespace {

// A graph of objects with made-up ids: number n has the id of n in its first byte.
class GraphReplayTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCount = 16;

  static ObjectId id_of(std::uint32_t number) {
    std::array<std::uint8_t, kMaxIdSize> raw{};
    raw[0] = static_cast<std::uint8_t>(number);
    return ObjectId::from_raw(raw.data(), HashKind::kSha1);
  }
  static std::vector<std::uint8_t> all_ids() {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t number = 0; number < kCount; ++number) {
      const ObjectId id = id_of(number);
      bytes.insert(bytes.end(), id.data(), id.data() + 20);
    }
    return bytes;
  }

  // Numbers from kCount on have no file.
  void object(std::uint32_t number, ObjectType type, const std::vector<std::uint32_t>& targets) {
    ledger_.set_present(number, type);
    writer_.begin(number, LinkTrace::kNoBase);
    for (const std::uint32_t target : targets) link(number, target);
    writer_.end();
  }
  void link(std::uint32_t number, std::uint32_t target) {
    const std::size_t place = writer_.add_new();
    if (target < kCount) {
      writer_.set_target(place, target);
    } else {
      ledger_.add_missing({{number, id_of(target), ObjectType::kBlob}});
    }
  }
  void root(std::uint32_t number) { roots_.push_back(number); }

  // "PARENT>TARGET" of every broken link.
  std::string broken_links(std::vector<std::uint32_t> ends = {}) {
    ledger_.trace().take(std::move(writer_));
    RootTable roots(ledger_, false);
    for (const std::uint32_t number : roots_)
      roots.add_root(id_of(number), ObjectType::kUnknown, "");
    for (const std::uint32_t number : demanded_)
      roots.add_root(id_of(number), ObjectType::kBlob, "");
    const GraphNumbers numbers(ledger_, roots);
    const std::vector<bool> promised(numbers.count(), false);
    GraphReplay::Settings settings;
    settings.parents = &parents_;
    settings.false_links = &false_links_;
    settings.promised = &promised;
    GraphReplay replay(*storage_, ledger_, numbers, roots, settings);
    const GraphMembers members(ledger_, numbers, ends);
    replay.run(&members);
    std::string result;
    for (const auto& one : replay.broken_links()) {
      result +=
          std::to_string(one.parent) + ">" + std::to_string(numbers.id(one.target).data()[0]) + " ";
    }
    for (std::uint32_t number = kCount; number < numbers.count(); ++number) {
      if (replay.is_reached(number)) reached_absent_.push_back(numbers.id(number).data()[0]);
    }
    members_.clear();
    for (std::uint32_t number = 0; number < kCount; ++number) {
      if (members.is_member(number)) members_.push_back(number);
    }
    return result;
  }

  std::vector<std::uint8_t> ids_ = all_ids();
  ObjectTable table_{HashKind::kSha1, {{ids_.data(), 20, kCount, nullptr}}};
  LinkLedger ledger_{table_};
  LinkTrace::Writer writer_{1000};
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> demanded_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> reached_absent_;
  CommitParents parents_;
  std::vector<FalseLink> false_links_;
  Policy policy_;
  FindingList problems_;
  std::unique_ptr<Storage> storage_ =
      Storage::load(os::System::real(), {}, Storage::Options{}, policy_, problems_);
};

constexpr ObjectType kCommit = ObjectType::kCommit;
constexpr ObjectType kTree = ObjectType::kTree;

TEST_F(GraphReplayTest, TheLastParentIsWalkedFirst) {
  object(1, kCommit, {2, 3, 4});  // tree 2, parents 3 and 4
  object(2, kTree, {20});
  object(3, kCommit, {5});
  object(4, kCommit, {6});
  object(5, kTree, {20});
  object(6, kTree, {20});
  root(1);
  EXPECT_EQ(broken_links(), "6>20 ");
}

TEST_F(GraphReplayTest, LaterRootsAreWalkedFirst) {
  object(1, kCommit, {2});
  object(2, kTree, {20});
  object(3, kCommit, {4});
  object(4, kTree, {20});
  root(3);
  root(1);
  EXPECT_EQ(broken_links(), "2>20 ");
}

TEST_F(GraphReplayTest, WhatAnIndexFileNamesIsNotBlamedOnAParent) {
  object(1, kCommit, {2});
  object(2, kTree, {20, 21});
  root(1);
  demanded_ = {20};
  EXPECT_EQ(broken_links(), "2>21 ");
}

TEST_F(GraphReplayTest, WhatOnlyAnIndexFileNamesIsReached) {
  demanded_ = {20};
  EXPECT_EQ(broken_links(), "");
  EXPECT_EQ(reached_absent_, (std::vector<std::uint32_t>{20}));
}

TEST_F(GraphReplayTest, UnreachableParentsAreNotBlamed) {
  object(1, kTree, {20});
  object(2, kTree, {21});
  root(1);
  EXPECT_EQ(broken_links(), "1>20 ");
}

TEST_F(GraphReplayTest, OnlyWhatLeadsToAnEndIsAMember) {
  object(1, kCommit, {2});
  object(2, kTree, {3, 4});
  object(3, kTree, {20});
  object(4, kTree, {});
  object(5, kCommit, {4, 1});  // its tree is sound, its parent is not
  object(6, ObjectType::kTag, {5});
  object(7, kCommit, {4});
  root(6);
  EXPECT_EQ(broken_links(), "3>20 ");
  EXPECT_EQ(members_, (std::vector<std::uint32_t>{1, 2, 3, 5, 6}));
}

TEST_F(GraphReplayTest, TreesInheritWhatTheyHaveInCommonWithTheirBase) {
  object(1, kTree, {3, 4, 3});
  object(3, kTree, {20});
  object(4, kTree, {});
  ledger_.set_present(5, kTree);
  writer_.begin(5, 1);  // entry 0 of the base only, after a new one
  writer_.set_target(writer_.add_new(), 4);
  writer_.inherit(0, 1);
  writer_.end();
  ledger_.set_present(6, kTree);
  writer_.begin(6, 1);  // entry 1 only
  writer_.inherit(1, 1);
  writer_.end();
  ledger_.set_present(7, kTree);
  writer_.begin(7, 5);  // entry 1 of what was itself derived
  writer_.inherit(1, 1);
  writer_.end();
  root(7);
  EXPECT_EQ(broken_links(), "3>20 ");
  EXPECT_EQ(members_, (std::vector<std::uint32_t>{1, 3, 5, 7}));
}

TEST_F(GraphReplayTest, WhatWasNotRecordedCountsAsMember) {
  object(1, kCommit, {2});
  object(2, kTree, {});
  ledger_.set_present(3, kTree);
  object(4, kTree, {3});
  EXPECT_EQ(broken_links(), "");
  EXPECT_EQ(members_, (std::vector<std::uint32_t>{3, 4}));
}

TEST_F(GraphReplayTest, ADamagedEndIsReachedWithoutABrokenLink) {
  object(1, kTree, {9});
  root(1);
  EXPECT_EQ(broken_links({9}), "");
  EXPECT_EQ(members_, (std::vector<std::uint32_t>{1, 9}));
}

}  // namespace
}  // namespace assay
