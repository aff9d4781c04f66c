#include "store/pack/delta_forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "store/object/object_hash.h"
#include "tests/support/opened_pack.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::OpenedPack;
using testing::PackBuilder;
using testing::Random;

constexpr std::uint32_t kNone = DeltaForest::kNone;

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<std::uint32_t> children(const DeltaForest& forest, std::uint32_t entry) {
  const auto list = forest.children({entry});
  return {list.begin(), list.end()};
}

Bytes text(const std::string& content) { return {content.begin(), content.end()}; }

TEST(DeltaForest, AnEmptyPack) {
  const OpenedPack opened(PackBuilder().build());
  EXPECT_EQ(0u, opened.forest().size());
  EXPECT_TRUE(opened.forest().roots().empty());
  EXPECT_TRUE(opened.forest().faults().empty());
}

TEST(DeltaForest, WholeObjectsAreRootsOfTheirType) {
  PackBuilder builder;
  const std::size_t blob = builder.add_blob("blob");
  const std::size_t tree = builder.add(ObjectType::kTree, {});
  const std::size_t tag = builder.add(ObjectType::kTag, text("tag"));
  const std::size_t commit = builder.add(ObjectType::kCommit, text("commit"));
  const auto built = builder.build();
  const OpenedPack opened(built);
  const DeltaForest& forest = opened.forest();
  ASSERT_EQ(4u, forest.size());
  EXPECT_EQ((std::vector<std::uint32_t>{0, 1, 2, 3}), sorted(forest.roots()));
  EXPECT_EQ(ObjectType::kBlob, forest.type({opened.position(blob)}));
  EXPECT_EQ(ObjectType::kTree, forest.type({opened.position(tree)}));
  EXPECT_EQ(ObjectType::kTag, forest.type({opened.position(tag)}));
  EXPECT_EQ(ObjectType::kCommit, forest.type({opened.position(commit)}));
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(built.offsets[i], forest.offset({i}).value);
    EXPECT_EQ(PackPosition{i}, forest.find({built.offsets[i]}));
    EXPECT_EQ(std::nullopt, forest.find({built.offsets[i] + 1}));
    EXPECT_EQ(i < 3 ? built.offsets[i + 1] : built.pack.size() - 20, forest.end({i}).value);
    EXPECT_EQ(builder.entry(i).id, opened.index().id(forest.index_position({i})));
    EXPECT_EQ(kNone, forest.base({i}));
    EXPECT_TRUE(forest.children({i}).empty());
  }
}

TEST(DeltaForest, ChainsByOffsetAndById) {
  PackBuilder builder;
  builder.add(ObjectType::kTree, text("one"));
  builder.add_offset_delta(0, text("one two"));
  builder.add_ref_delta(1, text("one two three"));
  builder.add_offset_delta(2, text("one two three four"));
  const OpenedPack opened(builder.build());
  const DeltaForest& forest = opened.forest();
  EXPECT_EQ((std::vector<std::uint32_t>{0}), forest.roots());
  for (std::uint32_t i = 1; i < 4; ++i) {
    EXPECT_EQ(i - 1, forest.base({i}));
    EXPECT_EQ((std::vector<std::uint32_t>{i}), children(forest, i - 1));
    EXPECT_EQ(ObjectType::kTree, forest.type({i}));
  }
  EXPECT_TRUE(forest.faults().empty());
  EXPECT_TRUE(forest.baseless().empty());
  EXPECT_TRUE(forest.cyclic().empty());
}

TEST(DeltaForest, ABaseNamedByIdMayComeLater) {
  PackBuilder builder;
  const Bytes base = text("the base");
  const Bytes derived = text("the base and more");
  const ObjectId base_id = name_object(ObjectType::kBlob, base, HashKind::kSha1).id;
  builder.add_ref_delta(base_id, ObjectType::kBlob, base, derived);
  builder.add(ObjectType::kBlob, base);
  const OpenedPack opened(builder.build());
  EXPECT_EQ(1u, opened.forest().base({0}));
  EXPECT_EQ(ObjectType::kBlob, opened.forest().type({0}));
  EXPECT_EQ((std::vector<std::uint32_t>{1}), opened.forest().roots());
}

TEST(DeltaForest, BasesThatAreNotThere) {
  PackBuilder builder;
  builder.add_blob("something");
  builder.add_ref_delta(ObjectId::null(HashKind::kSha1), ObjectType::kBlob, {}, text("orphan"));
  builder.add_offset_delta(0, text("no entry there"));
  builder.entry(2).distance = 3;  // into the middle of the entry before
  builder.add_offset_delta(2, text("below it"));
  const OpenedPack opened(builder.build());
  const DeltaForest& forest = opened.forest();
  EXPECT_EQ((std::vector<std::uint32_t>{0}), forest.roots());
  EXPECT_EQ((std::vector<std::uint32_t>{1, 2}), forest.baseless());
  EXPECT_EQ(kNone, forest.base({1}));
  EXPECT_EQ(kNone, forest.base({2}));
  EXPECT_EQ(ObjectType::kUnknown, forest.type({1}));
  EXPECT_EQ(ObjectType::kUnknown, forest.type({3}));
  EXPECT_EQ(2u, forest.base({3}));
  EXPECT_TRUE(forest.cyclic().empty());
  EXPECT_TRUE(forest.faults().empty());
}

TEST(DeltaForest, ABaseThatTheIndexDoesNotNameIsNotThere) {
  PackBuilder builder;
  builder.add_blob("base");
  builder.add_offset_delta(0, text("base 2"));
  builder.entry(0).indexed = false;
  const OpenedPack opened(builder.build());
  ASSERT_EQ(1u, opened.forest().size());
  EXPECT_EQ((std::vector<std::uint32_t>{0}), opened.forest().baseless());
}

TEST(DeltaForest, CyclesAndWhatHangsOnThem) {
  PackBuilder builder;
  builder.add_blob("sound");
  const Bytes a = text("a");
  const Bytes b = text("b");
  const Bytes c = text("c");
  const auto id = [](ByteView bytes) {
    return name_object(ObjectType::kBlob, bytes, HashKind::kSha1).id;
  };
  builder.add_ref_delta(id(b), ObjectType::kBlob, b, a);  // a on b, b on c, c on a
  builder.add_ref_delta(id(c), ObjectType::kBlob, c, b);
  builder.add_ref_delta(id(a), ObjectType::kBlob, a, c);
  builder.add_ref_delta(id(b), ObjectType::kBlob, b, text("below"));
  const Bytes self = text("self");
  builder.add_ref_delta(id(self), ObjectType::kBlob, self, self);
  const OpenedPack opened(builder.build());
  EXPECT_EQ((std::vector<std::uint32_t>{1, 2, 3, 4, 5}), opened.forest().cyclic());
  EXPECT_EQ((std::vector<std::uint32_t>{0}), opened.forest().roots());
  for (std::uint32_t i = 1; i < 6; ++i) {
    EXPECT_EQ(ObjectType::kUnknown, opened.forest().type({i}));
  }
}

TEST(DeltaForest, BadHeadersAreFaultsOfTheirEntry) {
  PackBuilder builder;
  builder.add_blob("first");
  builder.add_blob("bad kind");
  builder.entry(1).kind = 5;
  builder.add_offset_delta(1, text("below"));
  builder.add_offset_delta(0, text("bad distance"));
  builder.entry(3).distance = 1u << 20;
  const OpenedPack opened(builder.build());
  const DeltaForest& forest = opened.forest();
  ASSERT_EQ(2u, forest.faults().size());
  std::map<std::uint32_t, MessageId> found;
  for (const DeltaForest::EntryFault& fault : forest.faults()) {
    found[fault.entry] = fault.fault.id;
    EXPECT_EQ(forest.offset({fault.entry}), fault.offset);
    EXPECT_EQ(forest.index_position({fault.entry}), fault.index_position);
  }
  EXPECT_EQ(MessageId::kEntryHeaderBad, found[1]);
  EXPECT_EQ(MessageId::kDeltaBaseBad, found[3]);
  EXPECT_EQ((std::vector<std::uint32_t>{0}), forest.roots());
  EXPECT_EQ((std::vector<std::uint32_t>{2}), children(forest, 1));
  EXPECT_EQ(ObjectType::kUnknown, forest.type({2}));
  EXPECT_TRUE(forest.baseless().empty());
}

TEST(DeltaForest, OffsetsOutsideThePackAreFaultsWithoutAnEntry) {
  PackBuilder builder;
  for (const char* content : {"a", "b", "c", "d", "e"}) builder.add_blob(content);
  builder.entry(1).index_offset = 0;
  builder.entry(2).index_offset = 11;
  builder.entry(3).index_offset = 1u << 20;
  builder.entry(4).index_offset = ~std::uint64_t{0};
  const OpenedPack opened(builder.build());
  EXPECT_EQ(1u, opened.forest().size());
  ASSERT_EQ(4u, opened.forest().faults().size());
  for (std::size_t i = 0; i < 4; ++i) {
    const DeltaForest::EntryFault& fault = opened.forest().faults()[i];
    EXPECT_EQ(kNone, fault.entry);
    EXPECT_EQ(MessageId::kEntryOffsetBad, fault.fault.id);
    if (i > 0) {  // in order of the index, whatever the offsets are
      EXPECT_LT(opened.forest().faults()[i - 1].index_position, fault.index_position);
    }
  }
}

TEST(DeltaForest, ALastOffsetAtTheEndOfEntriesIsOutside) {
  PackBuilder builder;
  builder.add_blob("a");
  builder.add_blob("b");
  const std::uint64_t end = builder.build().pack.size() - 20;
  builder.entry(1).index_offset = end;
  EXPECT_EQ(1u, OpenedPack(builder.build()).forest().faults().size());
  builder.entry(1).index_offset = end - 1;
  const OpenedPack opened(builder.build());
  ASSERT_EQ(2u, opened.forest().size());
  EXPECT_EQ(end - 1, opened.forest().offset({1}).value);
}

TEST(DeltaForest, SeveralObjectsAtOneOffset) {
  PackBuilder builder;
  builder.add_blob("one");
  builder.add_blob("two");
  builder.add_blob("three");
  builder.add_offset_delta(0, text("one and more"));
  auto built = builder.build();
  builder.entry(1).index_offset = built.offsets[0];
  built = builder.build();
  const OpenedPack opened(built);
  const DeltaForest& forest = opened.forest();
  ASSERT_EQ(4u, forest.size());
  EXPECT_EQ(built.offsets[0], forest.offset({0}).value);
  EXPECT_EQ(built.offsets[0], forest.offset({1}).value);
  // Both reach to the next offset that somebody names.
  EXPECT_EQ(built.offsets[2], forest.end({0}).value);
  EXPECT_EQ(built.offsets[2], forest.end({1}).value);
  const std::uint32_t base = forest.base({3});
  EXPECT_TRUE(base == 0 || base == 1);
}

TEST(DeltaForest, AMillionObjectsAtOneOffsetTakeNoLonger) {
  // Not quite a million: the end of an entry must not be looked for one by one.
  constexpr std::size_t kCount = 200000;
  PackBuilder builder;
  builder.add_blob("only");
  const auto one = builder.build();
  Bytes index(one.index.begin(), one.index.begin() + 8);
  Bytes id(20, 0x11);
  const auto put32 = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      index.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  };
  for (unsigned byte = 0; byte < 256; ++byte) put32(byte < 0x11 ? 0 : kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    id[17] = static_cast<std::uint8_t>(i >> 16);
    id[18] = static_cast<std::uint8_t>(i >> 8);
    id[19] = static_cast<std::uint8_t>(i);
    index.insert(index.end(), id.begin(), id.end());
  }
  for (std::size_t i = 0; i < kCount; ++i) put32(0);
  for (std::size_t i = 0; i < kCount; ++i) put32(12);
  index.resize(index.size() + 40);
  testing::BuiltPack built{one.pack, index, one.offsets};
  const OpenedPack opened(built);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) sum += opened.forest().end({i}).value;
  EXPECT_EQ(kCount * (one.pack.size() - 20), sum);
}

TEST(DeltaForest, ChildrenAndRootsAreInOrderOfTheirWork) {
  PackBuilder builder;
  const Bytes small(100, 's');
  const Bytes large(5000, 'l');
  const auto grown = [](const Bytes& from, char c) {
    Bytes result = from;
    result.push_back(static_cast<std::uint8_t>(c));
    return result;
  };
  builder.add(ObjectType::kBlob, small);           // 0: 5 x 100 bytes of work
  builder.add_offset_delta(0, grown(small, 'a'));  // 1: has two below it
  builder.add_offset_delta(1, grown(small, 'b'));  // 2
  builder.add_offset_delta(2, grown(small, 'c'));  // 3
  builder.add_offset_delta(0, grown(small, 'd'));  // 4: has none
  builder.add_offset_delta(0, grown(small, 'e'));  // 5: has one
  builder.add_offset_delta(5, grown(small, 'f'));  // 6
  builder.add(ObjectType::kBlob, large);           // 7
  const OpenedPack opened(builder.build());
  EXPECT_EQ((std::vector<std::uint32_t>{4, 5, 1}), children(opened.forest(), 0));
  EXPECT_EQ((std::vector<std::uint32_t>{7, 0}), opened.forest().roots());
}

// A random forest and what the forest should be, by the obvious way.
TEST(DeltaForest, RandomForestsWithAnyNumberOfThreads) {
  Random random(1);
  PackBuilder builder;
  std::vector<std::uint32_t> bases;
  // Enough for several threads to have a share.
  for (std::uint32_t i = 0; i < 40000; ++i) {
    const Bytes content = text("entry " + std::to_string(i));
    if (i == 0 || random.one_in(20)) {
      builder.add(random.one_in(2) ? ObjectType::kBlob : ObjectType::kTree, content);
      bases.push_back(kNone);
      continue;
    }
    const auto base = static_cast<std::uint32_t>(
        random.one_in(3) ? random.below(i) : i - 1 - random.below(std::min(i, 50u)));
    if (random.one_in(3)) {
      builder.add_ref_delta(base, content);
    } else {
      builder.add_offset_delta(base, content);
    }
    bases.push_back(base);
  }
  const auto built = builder.build();
  const OpenedPack one(built, 1);
  const OpenedPack four(built, 4);
  ASSERT_EQ(bases.size(), one.forest().size());
  EXPECT_EQ(one.forest().roots(), four.forest().roots());
  for (std::uint32_t i = 0; i < bases.size(); ++i) {
    ASSERT_EQ(bases[i], one.forest().base({i})) << i;
    ASSERT_EQ(bases[i], four.forest().base({i})) << i;
    ASSERT_EQ(builder.entry(i).type, one.forest().type({i})) << i;
    ASSERT_EQ(children(one.forest(), i), children(four.forest(), i)) << i;
  }
}

}  // namespace
}  // namespace assay
