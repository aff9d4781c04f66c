// ObjectTable and LinkLedger when objects come while a run is under way.
#include <gtest/gtest.h>

#include "store/fsck/link_ledger.h"
#include "store/object/object_hash.h"

namespace assay {
namespace {

std::vector<ObjectId> ids(int first, int count) {
  std::vector<ObjectId> result;
  for (int i = first; i < first + count; ++i) {
    const std::string text = std::to_string(i);
    result.push_back(name_object(ObjectType::kBlob, as_bytes(text), HashKind::kSha1).id);
  }
  return result;
}

ObjectTable::IdRun run_of(const std::vector<ObjectId>& list, std::vector<std::uint32_t>& numbers) {
  numbers.resize(list.size());
  return {list[0].data(), sizeof(ObjectId), static_cast<std::uint32_t>(list.size()),
          numbers.data()};
}

TEST(GrowingTables, NewIdsComeBehindTheKnownOnes) {
  const std::vector<ObjectId> known = ids(0, 10);
  std::vector<std::uint32_t> numbers;
  ObjectTable table(HashKind::kSha1, {run_of(known, numbers)});
  EXPECT_EQ(table.size(), 10u);
  // Half of them known; so many that the slots have to grow several times.
  const std::vector<ObjectId> more = ids(5, 5000);
  std::vector<std::uint32_t> more_numbers;
  table.append({run_of(more, more_numbers)});
  EXPECT_EQ(table.size(), 5005u);
  for (std::size_t i = 0; i < known.size(); ++i) EXPECT_EQ(table.find(known[i]), numbers[i]);
  for (std::size_t i = 0; i < more.size(); ++i) {
    ASSERT_EQ(table.find(more[i]), more_numbers[i]);
    ASSERT_EQ(table.id(more_numbers[i]), more[i]);
    ASSERT_EQ(more_numbers[i] >= 10, i >= 5) << i;
  }
  EXPECT_EQ(table.find(ids(6000, 1)[0]), ObjectTable::kAbsent);
}

TEST(GrowingTables, EmptyTableGrows) {
  ObjectTable table(HashKind::kSha1, {});
  const std::vector<ObjectId> more = ids(0, 3);
  std::vector<std::uint32_t> numbers;
  table.append({run_of(more, numbers)});
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(table.find(more[2]), 2u);
}

TEST(GrowingTables, LinksToWhatHasComeCount) {
  const std::vector<ObjectId> known = ids(0, 4);
  std::vector<std::uint32_t> numbers;
  ObjectTable table(HashKind::kSha1, {run_of(known, numbers)});
  LinkLedger ledger(table);
  ledger.set_present(0, ObjectType::kTree);
  ledger.add_link(1, ObjectType::kBlob);
  const std::vector<ObjectId> absent = ids(100, 2);
  ledger.add_missing({{0, absent[0], ObjectType::kBlob}, {0, absent[1], ObjectType::kTree}});
  std::vector<std::uint32_t> more;
  table.append({run_of({absent[0]}, more)});
  ledger.extend();
  EXPECT_EQ(ledger.present_type(0), ObjectType::kTree) << "what was known stays";
  EXPECT_TRUE(ledger.is_expected_as(1, ObjectType::kBlob));
  EXPECT_TRUE(ledger.is_expected_as(more[0], ObjectType::kBlob));
  EXPECT_EQ(ledger.present_type(more[0]), ObjectType::kUnknown);
  ASSERT_EQ(ledger.missing().size(), 1u);
  EXPECT_EQ(ledger.missing()[0].target, absent[1]);
  ledger.forget_missing([&](const MissingLink& link) { return link.target == absent[1]; });
  EXPECT_TRUE(ledger.missing().empty());
}

}  // namespace
}  // namespace assay
