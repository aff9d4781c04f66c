#include "store/fsck/object_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/random.h"

namespace assay {
namespace {

using testing::Random;

// Ids one after the other, as an index file has them.
struct IdList {
  Bytes bytes;
  std::vector<std::uint32_t> numbers;
  std::size_t stride = 0;

  IdList(const std::vector<ObjectId>& ids, std::size_t gap = 0) : numbers(ids.size(), 12345) {
    for (const ObjectId& id : ids) {
      bytes.insert(bytes.end(), gap, 0xee);
      bytes.insert(bytes.end(), id.data(), id.data() + id.size());
      stride = gap + id.size();
    }
    first_at = gap;
  }
  std::size_t first_at = 0;
  ObjectTable::IdRun view(bool with_numbers = true) {
    return {bytes.data() + first_at, stride, static_cast<std::uint32_t>(numbers.size()),
            with_numbers ? numbers.data() : nullptr};
  }
};

std::vector<ObjectId> random_ids(Random& random, std::size_t count, HashKind kind) {
  std::vector<ObjectId> ids;
  for (std::size_t i = 0; i < count; ++i) {
    ids.push_back(ObjectId::from_raw(random.bytes(id_size(kind)).data(), kind));
  }
  return ids;
}

void expect_holds(const ObjectTable& table, const std::set<ObjectId>& ids) {
  ASSERT_EQ(ids.size(), table.size());
  std::uint32_t number = 0;
  for (const ObjectId& id : ids) {
    EXPECT_EQ(id, table.id(number));
    EXPECT_EQ(number, table.find(id));
    EXPECT_EQ(number, table.find_from(table.hash(id.data()), id.data()));
    ++number;
  }
}

TEST(ObjectTable, Empty) {
  const ObjectTable table(HashKind::kSha1, {});
  EXPECT_EQ(0u, table.size());
  EXPECT_EQ(ObjectTable::kAbsent, table.find(empty_tree_id(HashKind::kSha1)));
}

TEST(ObjectTable, OneSortedRun) {
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    Random random(1);
    std::vector<ObjectId> ids = random_ids(random, 1000, kind);
    std::sort(ids.begin(), ids.end());
    IdList run(ids, 4);  // with something between, as in version 1 of an index
    const ObjectTable table(kind, {run.view()});
    expect_holds(table, {ids.begin(), ids.end()});
    for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(i, run.numbers[i]);
  }
}

TEST(ObjectTable, RunsThatAreNotSortedOrRepeat) {
  Random random(2);
  std::vector<ObjectId> ids = random_ids(random, 500, HashKind::kSha1);
  for (int i = 0; i < 200; ++i) ids.push_back(ids[random.below(500)]);
  IdList run(ids);
  const ObjectTable table(HashKind::kSha1, {run.view()});
  const std::set<ObjectId> distinct(ids.begin(), ids.end());
  expect_holds(table, distinct);
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(table.find(ids[i]), run.numbers[i]);
}

TEST(ObjectTable, ASortedRunWithAnIdTwice) {
  Random random(3);
  std::vector<ObjectId> ids = random_ids(random, 10, HashKind::kSha1);
  std::sort(ids.begin(), ids.end());
  ids.insert(ids.begin() + 4, ids[4]);
  IdList run(ids);
  const ObjectTable table(HashKind::kSha1, {run.view()});
  expect_holds(table, {ids.begin(), ids.end()});
  EXPECT_EQ(run.numbers[4], run.numbers[5]);
  EXPECT_EQ(9u, run.numbers[10]);
}

TEST(ObjectTable, SeveralRunsShareTheirIds) {
  Random random(4);
  const std::vector<ObjectId> all = random_ids(random, 600, HashKind::kSha1);
  std::vector<ObjectId> first(all.begin(), all.begin() + 400);
  std::vector<ObjectId> second(all.begin() + 200, all.end());
  std::sort(first.begin(), first.end());
  IdList first_run(first);
  IdList second_run(second);
  IdList third_run({all[0], all[599]});
  const ObjectTable table(HashKind::kSha1,
                          {first_run.view(), second_run.view(), third_run.view(false)});
  expect_holds(table, {all.begin(), all.end()});
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(table.find(first[i]), first_run.numbers[i]);
  }
  for (std::size_t i = 0; i < second.size(); ++i) {
    EXPECT_EQ(table.find(second[i]), second_run.numbers[i]);
  }
  EXPECT_EQ(12345u, third_run.numbers[0]);
}

TEST(ObjectTable, AbsentIds) {
  Random random(5);
  std::vector<ObjectId> ids = random_ids(random, 1000, HashKind::kSha1);
  IdList run(ids);
  const ObjectTable table(HashKind::kSha1, {run.view()});
  for (const ObjectId& id : ids) {
    Bytes near(id.data(), id.data() + 20);
    near[19] ^= 1;  // not among the bytes that the hash looks at
    EXPECT_EQ(ObjectTable::kAbsent, table.find(near.data()));
    near[19] ^= 1;
    near[0] ^= 1;
    EXPECT_EQ(ObjectTable::kAbsent, table.find(near.data()));
  }
  EXPECT_EQ(ObjectTable::kAbsent, table.find(ObjectId::null(HashKind::kSha1)));
}

TEST(ObjectTable, IdsThatDifferOnlyBehindWhatIsHashed) {
  std::vector<ObjectId> ids;
  Bytes raw(20, 7);
  for (int i = 0; i < 100; ++i) {
    raw[19] = static_cast<std::uint8_t>(i);
    ids.push_back(ObjectId::from_raw(raw.data(), HashKind::kSha1));
  }
  IdList run(ids);
  const ObjectTable table(HashKind::kSha1, {run.view()});
  expect_holds(table, {ids.begin(), ids.end()});
}

// An index may name any ids it likes: those made up to share a slot must not.
TEST(ObjectTable, MadeUpIdsDoNotShareSlots) {
  constexpr std::uint64_t kMask = (1u << 14) - 1;
  // Ids that differ in these bits of each of their two words only.
  for (const unsigned first_bit : {0u, 20u, 32u, 40u, 56u}) {
    std::vector<ObjectId> ids;
    for (std::uint64_t i = 0; i < 4096; ++i) {
      const std::uint64_t words[3] = {(i & 63) << first_bit, (i >> 6) << first_bit, 0};
      Bytes raw(20);
      std::memcpy(raw.data(), words, 20);
      ids.push_back(ObjectId::from_raw(raw.data(), HashKind::kSha1));
    }
    IdList run(ids);
    const ObjectTable table(HashKind::kSha1, {run.view()});
    std::vector<unsigned> users(kMask + 1);
    for (const ObjectId& id : ids) ++users[table.hash(id.data()) & kMask];
    // Keys are drawn anew each time: more than 16 was seen once in a thousand runs. Without keys
    // all 4096 meet in a few slots.
    EXPECT_LT(*std::max_element(users.begin(), users.end()), 256u) << first_bit;
    expect_holds(table, {ids.begin(), ids.end()});
  }
}

}  // namespace
}  // namespace assay
