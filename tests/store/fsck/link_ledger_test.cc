#include "store/fsck/link_ledger.h"

#include <gtest/gtest.h>

#include "store/fsck/link_writer.h"
#include "store/run/workers.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::Random;

class LinkLedgerTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCount = 500;

  LinkLedgerTest() {
    Random random(1);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const Bytes raw = random.bytes(20);
      ids_.insert(ids_.end(), raw.begin(), raw.end());
    }
    table_ = std::make_unique<ObjectTable>(
        HashKind::kSha1, std::vector<ObjectTable::IdRun>{{ids_.data(), 20, kCount}});
    ledger_ = std::make_unique<LinkLedger>(*table_);
  }
  static ObjectId absent(std::uint8_t which) {
    const Bytes raw(20, which);
    return ObjectId::from_raw(raw.data(), HashKind::kSha1);
  }

  Bytes ids_;
  std::unique_ptr<ObjectTable> table_;
  std::unique_ptr<LinkLedger> ledger_;
};

TEST_F(LinkLedgerTest, WhatWasOnlyAssumedIsForgotten) {
  ledger_->set_present(1, ObjectType::kTag);
  ledger_->assume_present(1, ObjectType::kBlob);
  ledger_->assume_present(2, ObjectType::kBlob);
  EXPECT_EQ(ObjectType::kTag, ledger_->present_type(1));
  EXPECT_EQ(ObjectType::kBlob, ledger_->present_type(2));
  ledger_->extend();
  EXPECT_EQ(ObjectType::kTag, ledger_->present_type(1));
  EXPECT_EQ(ObjectType::kUnknown, ledger_->present_type(2));
  ledger_->set_present(2, ObjectType::kCommit);
  EXPECT_EQ(ObjectType::kCommit, ledger_->present_type(2));
}

TEST_F(LinkLedgerTest, PresentObjectsKeepTheirType) {
  EXPECT_EQ(ObjectType::kUnknown, ledger_->present_type(3));
  EXPECT_TRUE(ledger_->set_present(3, ObjectType::kTag));
  EXPECT_FALSE(ledger_->set_present(3, ObjectType::kTag));
  EXPECT_EQ(ObjectType::kTag, ledger_->present_type(3));
  EXPECT_TRUE(ledger_->claim_links(3));
  EXPECT_FALSE(ledger_->claim_links(3));
  ledger_->forget_present(3);
  EXPECT_EQ(ObjectType::kUnknown, ledger_->present_type(3));
  EXPECT_TRUE(ledger_->links_claimed(3));
  EXPECT_FALSE(ledger_->links_claimed(4));
}

TEST_F(LinkLedgerTest, LinksSayAsWhatAnObjectIsWanted) {
  EXPECT_FALSE(ledger_->has_links(1));
  EXPECT_FALSE(ledger_->is_disputed(1));
  ledger_->add_link(1, ObjectType::kBlob);
  EXPECT_TRUE(ledger_->has_links(1));
  EXPECT_TRUE(ledger_->is_expected_as(1, ObjectType::kBlob));
  EXPECT_FALSE(ledger_->is_expected_as(1, ObjectType::kTree));
  EXPECT_FALSE(ledger_->is_disputed(1));
  ledger_->add_link(1, ObjectType::kTree);
  EXPECT_TRUE(ledger_->is_disputed(1));  // nobody knows what it is, but it cannot be both
  ledger_->add_link(2, ObjectType::kBlob);
  ledger_->set_present(2, ObjectType::kBlob);
  EXPECT_FALSE(ledger_->is_disputed(2));
  ledger_->add_link(2, ObjectType::kCommit);
  EXPECT_TRUE(ledger_->is_disputed(2));
}

TEST_F(LinkLedgerTest, CountingForgetsLinksButNotObjects) {
  ledger_->set_present(1, ObjectType::kTree);
  ledger_->set_unreadable(2);
  ledger_->claim_links(1);
  ledger_->add_link(3, ObjectType::kBlob);
  ledger_->add_missing({{1, absent(7), ObjectType::kBlob}});
  ledger_->add_bad_copies({{4, 5}});
  EXPECT_FALSE(ledger_->counting());
  ledger_->start_counting();
  EXPECT_TRUE(ledger_->counting());
  EXPECT_EQ(ObjectType::kTree, ledger_->present_type(1));
  EXPECT_TRUE(ledger_->is_unreadable(2));
  EXPECT_TRUE(ledger_->is_bad_copy({4, 5}));
  EXPECT_FALSE(ledger_->is_bad_copy({5, 4}));
  EXPECT_FALSE(ledger_->links_claimed(1));
  EXPECT_FALSE(ledger_->has_links(3));
  EXPECT_TRUE(ledger_->missing().empty());
  for (int i = 0; i < 3; ++i) ledger_->add_link(3, ObjectType::kBlob);
  EXPECT_EQ(2u, ledger_->take_back_link(3));
  EXPECT_EQ(1u, ledger_->take_back_link(3));
  EXPECT_EQ(0u, ledger_->take_back_link(3));
}

TEST_F(LinkLedgerTest, AWriterFindsTargetsAndWhatIsMissing) {
  LinkWriter writer(*ledger_);
  std::vector<std::uint32_t> missing;
  // More than wait at once.
  for (std::uint32_t i = 0; i < 200; ++i) {
    writer.add(7, table_->raw_id(i), ObjectType::kBlob, true, i, &missing);
    writer.add(7, absent(static_cast<std::uint8_t>(i)).data(), ObjectType::kTree, true, 1000 + i,
               &missing);
  }
  writer.finish();
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(i < 200, ledger_->has_links(i)) << i;
  ASSERT_EQ(200u, missing.size());
  ASSERT_EQ(200u, ledger_->missing().size());
  for (std::uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(1000 + i, missing[i]);
    EXPECT_EQ(7u, ledger_->missing()[i].parent);
    EXPECT_EQ(absent(static_cast<std::uint8_t>(i)), ledger_->missing()[i].target);
    EXPECT_EQ(ObjectType::kTree, ledger_->missing()[i].type);
  }
}

TEST_F(LinkLedgerTest, LinksThatDoNotCountAreLookedUpOnly) {
  LinkWriter writer(*ledger_);
  std::vector<std::uint32_t> missing;
  writer.add(7, table_->raw_id(1), ObjectType::kBlob, false, 1, &missing);
  writer.add(7, absent(9).data(), ObjectType::kBlob, false, 2, &missing);
  writer.add(7, absent(9).data(), ObjectType::kBlob, false);
  writer.finish();
  EXPECT_FALSE(ledger_->has_links(1));
  EXPECT_TRUE(ledger_->missing().empty());
  EXPECT_EQ((std::vector<std::uint32_t>{2}), missing);
}

TEST_F(LinkLedgerTest, WatchedObjectsTellWhoLinksToThem) {
  ledger_->watch({5, 6});
  LinkWriter writer(*ledger_);
  writer.add(1, table_->raw_id(5), ObjectType::kBlob, true);
  writer.add(2, table_->raw_id(6), ObjectType::kTree, true);
  writer.add(3, table_->raw_id(7), ObjectType::kTree, true);
  writer.add(4, table_->raw_id(5), ObjectType::kTree, false);
  writer.finish();
  auto links = ledger_->take_watched();
  ASSERT_EQ(2u, links.size());
  EXPECT_EQ(1u, links[0].parent);
  EXPECT_EQ(5u, links[0].target);
  EXPECT_EQ(ObjectType::kBlob, links[0].type);
  EXPECT_EQ(2u, links[1].parent);
  EXPECT_TRUE(ledger_->take_watched().empty());
  EXPECT_FALSE(ledger_->is_watched(5));
}

TEST_F(LinkLedgerTest, ManyWorkersCountTogether) {
  ledger_->start_counting();
  constexpr unsigned kWorkers = 4;
  std::atomic<int> claimed{0};
  run_workers(kWorkers, [&](unsigned number) {
    LinkWriter writer(*ledger_);
    for (std::uint32_t i = 0; i < 20000; ++i) {
      writer.add(number, table_->raw_id(i % kCount), ObjectType::kBlob, true);
      if (i % 100 == 0) writer.add(number, absent(3).data(), ObjectType::kBlob, true);
      if (i < kCount && ledger_->claim_links(i)) ++claimed;
    }
    writer.finish();
  });
  EXPECT_EQ(static_cast<int>(kCount), claimed.load());
  EXPECT_EQ(200u * kWorkers, ledger_->missing().size());
  const std::uint32_t each = 20000 / kCount * kWorkers;
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(each - 1, ledger_->take_back_link(i));
}

}  // namespace
}  // namespace assay
