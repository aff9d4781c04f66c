#include "store/fsck/check_storage.h"

#include <gtest/gtest.h>

#include "tests/support/fsck_repository.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::BuiltPack;
using testing::FsckRepository;
using testing::ids_of;
using testing::lines_of;
using testing::PackBuilder;
using testing::Random;
using testing::sorted_lines;
using testing::sorted_lines_of;
using testing::tree_text;
using testing::whole_text_of;

using Lines = std::vector<std::string>;

Bytes text(std::string_view content) { return {content.begin(), content.end()}; }

Bytes spoiled(Bytes stream) {
  stream.back() ^= 1;
  return stream;
}

class CheckStorageTest : public ::testing::Test {
 protected:
  // Makes the entry impossible to unpack.
  static void spoil(PackBuilder& builder, std::size_t number) {
    builder.entry(number).stream =
        spoiled(testing::zlib_stream(builder.entry(number).payload, builder.entry(number).level));
  }
  // A blob that cannot be unpacked, and a delta of it.
  static PackBuilder on_a_bad_base(const Bytes& base, const Bytes& delta) {
    PackBuilder builder;
    builder.add(ObjectType::kBlob, base);
    builder.add_offset_delta(0, delta);
    spoil(builder, 0);
    return builder;
  }
  static std::string cannot_unpack(const PackBuilder& builder, const BuiltPack& built,
                                   std::size_t number, const std::string& pack) {
    return "error: cannot unpack " + builder.entry(number).id.hex() +
           " from .git/objects/pack/pack-" + pack + ".pack at offset " +
           std::to_string(built.offsets[number]);
  }
  // Said at a delta of that entry, of which there is a good copy elsewhere.
  static std::string read_elsewhere(const PackBuilder& builder, const BuiltPack& built,
                                    std::size_t number, const std::string& pack) {
    return "error: failed to read delta base object " + builder.entry(number).id.hex() +
           " at offset " + std::to_string(built.offsets[number]) + " from .git/objects/pack/pack-" +
           pack + ".pack";
  }
  // A commit on a tree that holds these, as main.
  void hold(const std::vector<ObjectId>& blobs) {
    std::vector<testing::TreeLine> lines;
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      lines.push_back({"100644", std::string(1, static_cast<char>('a' + i)), blobs[i]});
    }
    repository_.ref("heads/main", repository_.commit(repository_.tree(lines)));
  }

  FsckRepository repository_;
};

TEST_F(CheckStorageTest, EveryCopyIsCheckedAndOneGoodOneIsEnough) {
  PackBuilder builder;
  builder.add_blob("both");
  repository_.add_pack(builder.build(), "p");
  const ObjectId id = builder.entry(0).id;
  hold({id});
  repository_.put_file(id, spoiled(testing::zlib_stream(text(std::string("blob 4\0both", 11)))));
  FsckReport report = repository_.check();
  EXPECT_EQ((Lines{"error: " + id.hex() + ": object corrupt or missing: .git/" +
                   repository_.object_path(id)}),
            lines_of(report));
  EXPECT_EQ(1, report.exit_status);
  // The other way round.
  repository_.blob("both");
  spoil(builder, 0);
  const BuiltPack built = builder.build();
  repository_.add_pack(built, "p");
  report = repository_.check();
  EXPECT_EQ((Lines{cannot_unpack(builder, built, 0, "p")}), lines_of(report));
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(CheckStorageTest, ALooseObjectUnderAnotherName) {
  const ObjectId wrong = repository_.id_of(ObjectType::kBlob, text("wanted"));
  repository_.put_as(wrong, ObjectType::kBlob, text("other"));
  hold({wrong});
  const ObjectId real = repository_.id_of(ObjectType::kBlob, text("other"));
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{"error: " + real.hex() + ": hash-path mismatch, found at: .git/" +
                       repository_.object_path(wrong),
                   "missing blob " + wrong.hex()}),
            lines_of(report));
  EXPECT_EQ(3, report.exit_status);
}

TEST_F(CheckStorageTest, DeltasOnABadBaseAreMadeFromAnotherCopy) {
  PackBuilder builder;
  builder.add_blob("the base");
  builder.add_offset_delta(0, text("the base 1"));
  builder.add_ref_delta(1, text("the base 1 2"));
  builder.add_offset_delta(0, text("the base 3"));
  spoil(builder, 0);
  const BuiltPack built = builder.build();
  repository_.add_pack(built, "p");
  repository_.blob("the base");
  hold({builder.entry(1).id, builder.entry(2).id, builder.entry(3).id, builder.entry(0).id});
  for (const unsigned threads : {1u, 3u}) {
    const FsckReport report = repository_.check(threads);
    EXPECT_EQ(
        (Lines{cannot_unpack(builder, built, 0, "p"), read_elsewhere(builder, built, 0, "p")}),
        lines_of(report));
    EXPECT_EQ(4, report.exit_status);
    EXPECT_EQ(6u, report.statistics.objects);  // three deltas, three loose objects
  }
}

TEST_F(CheckStorageTest, DeltasBelowABadHeaderToo) {
  PackBuilder builder;
  builder.add_blob("the base");
  builder.add_offset_delta(0, text("the base 1"));
  builder.add_offset_delta(1, text("the base 1 2"));
  builder.entry(0).kind = 5;
  const BuiltPack built = builder.build();
  repository_.add_pack(built, "p");
  repository_.blob("the base");
  hold({builder.entry(1).id, builder.entry(2).id, builder.entry(0).id});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{read_elsewhere(builder, built, 0, "p"), cannot_unpack(builder, built, 0, "p")}),
            lines_of(report));
}

TEST_F(CheckStorageTest, TheOtherCopyOfABaseMayItselfNeedOne) {
  // p: "wanted" on "base", which is bad there. q: "base" on "root", which is bad there. A good
  // root is loose: from it comes the base, and from that what is wanted.
  const Bytes root = text("the root of it all");
  const Bytes base = text("the root of it all, base");
  const Bytes wanted = text("the root of it all, base, wanted");
  const PackBuilder p = on_a_bad_base(base, wanted);
  const PackBuilder q = on_a_bad_base(root, base);
  const BuiltPack built_p = p.build();
  const BuiltPack built_q = q.build();
  repository_.add_pack(built_p, "p");
  repository_.add_pack(built_q, "q");
  repository_.put(ObjectType::kBlob, root);
  hold({p.entry(0).id, p.entry(1).id, q.entry(0).id});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{cannot_unpack(p, built_p, 0, "p"), read_elsewhere(p, built_p, 0, "p"),
                   cannot_unpack(q, built_q, 0, "q"), read_elsewhere(q, built_q, 0, "q")}),
            lines_of(report));
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(CheckStorageTest, PacksThatNeedEachOther) {
  // p has x (bad) and y on x; q has y (bad) and x on y. Neither can be made: that must end.
  const Bytes x = text("object x");
  const Bytes y = text("object x and y");
  const PackBuilder p = on_a_bad_base(x, y);
  const PackBuilder q = on_a_bad_base(y, x);
  const BuiltPack built_p = p.build();
  const BuiltPack built_q = q.build();
  repository_.add_pack(built_p, "p");
  repository_.add_pack(built_q, "q");
  hold({p.entry(0).id, p.entry(1).id});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{cannot_unpack(p, built_p, 0, "p"), cannot_unpack(p, built_p, 1, "p"),
                   cannot_unpack(q, built_q, 0, "q"), cannot_unpack(q, built_q, 1, "q")}),
            lines_of(report));
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(CheckStorageTest, ABaseThatIsNowhere) {
  PackBuilder builder;
  builder.add_blob("the base");
  builder.add_offset_delta(0, text("the base 1"));
  builder.add_offset_delta(1, text("the base 1 2"));
  builder.add_blob("good");
  spoil(builder, 0);
  const BuiltPack built = builder.build();
  repository_.add_pack(built, "p");
  hold({builder.entry(3).id});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{cannot_unpack(builder, built, 0, "p"), cannot_unpack(builder, built, 1, "p"),
                   cannot_unpack(builder, built, 2, "p")}),
            lines_of(report));
}

TEST_F(CheckStorageTest, ABaseNamedByIdMustBeInTheSamePack) {
  PackBuilder builder;
  const Bytes base = text("the base");
  builder.add_ref_delta(repository_.put(ObjectType::kBlob, base), ObjectType::kBlob, base,
                        text("the base 1"));
  const BuiltPack built = builder.build();
  repository_.add_pack(built, "p");
  hold({repository_.id_of(ObjectType::kBlob, base)});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{cannot_unpack(builder, built, 0, "p")}), lines_of(report));
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(CheckStorageTest, DeltaCyclesAreNamed) {
  const Bytes a = text("object a");
  const Bytes b = text("object b");
  PackBuilder builder;
  builder.add_ref_delta(repository_.id_of(ObjectType::kBlob, b), ObjectType::kBlob, b, a);
  builder.add_ref_delta(repository_.id_of(ObjectType::kBlob, a), ObjectType::kBlob, a, b);
  builder.add_offset_delta(1, text("object b and below"));
  repository_.add_pack(builder.build(), "p");
  repository_.put(ObjectType::kBlob, a);  // another copy of one of them
  hold({builder.entry(0).id});
  const FsckReport report = repository_.check();
  ASSERT_EQ(3u, report.findings.size());
  for (const Finding& finding : report.findings) EXPECT_EQ(MessageId::kDeltaCycle, finding.id);
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(CheckStorageTest, ADeltaOfTheWrongContentIsCorrupt) {
  PackBuilder builder;
  builder.add_blob("the base");
  builder.add_offset_delta(0, text("the base 1"));
  builder.add_offset_delta(1, text("the base 1 2"));
  builder.entry(1).id = repository_.id_of(ObjectType::kBlob, text("something else"));
  repository_.add_pack(builder.build(), "p");
  hold({builder.entry(0).id, builder.entry(2).id});
  const FsckReport report = repository_.check();
  EXPECT_EQ((Lines{"error: packed " + builder.entry(1).id.hex() +
                   " from .git/objects/pack/pack-p.pack is corrupt"}),
            lines_of(report));
  EXPECT_EQ(4, report.exit_status);
}

TEST_F(CheckStorageTest, OffsetsOutsideThePackEndTheRunForGit) {
  PackBuilder builder;
  builder.add_blob("good");
  builder.add_blob("far away");
  builder.entry(1).index_offset = 1u << 20;
  repository_.add_pack(builder.build(), "p");
  hold({builder.entry(0).id});
  const FsckReport report = repository_.check();
  // Where the entry really is, bytes belong to nobody.
  EXPECT_EQ(
      (std::vector{MessageId::kEntryCrcMismatch, MessageId::kPackGap, MessageId::kEntryOffsetBad}),
      ids_of(report));
  EXPECT_EQ(128, report.exit_status);
}

TEST_F(CheckStorageTest, ChecksumsOfPackAndIndexStandBesideTheirEntries) {
  PackBuilder builder;
  builder.add_blob("first");
  builder.add_blob("second");
  spoil(builder, 0);
  BuiltPack built = builder.build();
  built.pack[7] = 3;                         // the trailer is wrong now
  built.index[built.index.size() - 1] ^= 1;  // and so is the index's
  repository_.add_pack(built, "p");
  hold({builder.entry(1).id});
  for (const unsigned threads : {1u, 2u, 4u}) {
    const FsckReport report = repository_.check(threads);
    EXPECT_EQ(sorted_lines({"error: Packfile index for .git/objects/pack/pack-p.pack hash mismatch",
                            "error: .git/objects/pack/pack-p.pack pack checksum mismatch",
                            cannot_unpack(builder, built, 0, "p")}),
              sorted_lines_of(report));
  }
}

// --- All together -------------------------------------------------------------------------------

// A repository with every kind of damage, in many files.
void make_messy(FsckRepository& repository) {
  Random random(77);
  std::vector<ObjectId> known;
  const auto some = [&] { return known[random.below(known.size())]; };
  for (int i = 0; i < 40; ++i) {
    known.push_back(repository.blob("loose blob " + std::to_string(i)));
  }
  for (const char* name : {"a", "b", "c"}) {
    PackBuilder builder;
    for (int i = 0; i < 60; ++i) {
      const bool whole = builder.size() < 3 || random.one_in(4);
      std::vector<testing::TreeLine> lines;
      for (int j = 0; j < 6; ++j) {
        lines.push_back({random.one_in(30) ? "100666" : "100644",
                         "f" + std::to_string(j) + (random.one_in(20) ? "/" : ""), some()});
      }
      const Bytes tree = tree_text(lines);
      const std::size_t base = whole ? 0 : random.below(builder.size());
      const std::size_t number = whole              ? builder.add(ObjectType::kTree, tree)
                                 : random.one_in(2) ? builder.add_offset_delta(base, tree)
                                                    : builder.add_ref_delta(base, tree);
      known.push_back(builder.entry(number).id);
      if (random.one_in(3)) {
        repository.ref("heads/" + std::string(name) + std::to_string(i),
                       repository.commit(known.back()));
      }
    }
    for (int i = 0; i < 6; ++i) {
      testing::PackEntry& entry = builder.entry(random.below(builder.size()));
      switch (i) {
        case 0:
          entry.stream = spoiled(testing::zlib_stream(entry.payload));
          break;
        case 1:
          entry.index_crc = 1;
          break;
        case 2:
          entry.id = known[random.below(40)];
          break;
        case 3:
          entry.declared_size = entry.payload.size() + 1;
          break;
        case 4:
          entry.index_offset = std::uint64_t{1} << 40;
          break;
        default:
          entry.kind = 5;
          break;
      }
    }
    BuiltPack built = builder.build();
    if (*name == 'b') {
      built.pack[7] = 3;
      built.index[built.index.size() - 1] ^= 1;
    }
    repository.add_pack(built, name);
  }
  for (int i = 0; i < 10; ++i) {
    const ObjectId id = known[random.below(40)];
    switch (i % 4) {
      case 0:
        repository.put_file(id, text("garbage"));
        break;
      case 1:
        repository.remove(id);
        break;
      case 2:
        repository.put_as(id, ObjectType::kTree, tree_text({{"100644", "z", some()}}));
        break;
      default:
        repository.put_file(id, {});
        break;
    }
  }
  repository.files().write("objects/aa/foreign", "x");
  repository.files().write("objects/pack/pack-orphan.idx", "x");
}

TEST_F(CheckStorageTest, FindingsAreTheSameForAnyNumberOfThreads) {
  make_messy(repository_);
  for (const bool unreachable : {false, true}) {
    FsckOptions options = repository_.options(1);
    options.show_unreachable = unreachable;
    const FsckReport one = repository_.check(options);
    EXPECT_GT(one.findings.size(), 40u);
    for (const unsigned threads : {2u, 8u}) {
      options.threads = threads;
      for (int again = 0; again < 5; ++again) {
        ASSERT_EQ(whole_text_of(one), whole_text_of(repository_.check(options))) << threads;
      }
    }
  }
}

TEST_F(CheckStorageTest, CountsAreThoseOfAllCopies) {
  Random random(5);
  PackBuilder builder;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    const Bytes content = random.bytes(random.below(200));
    if (i % 3 == 2) {
      builder.add_offset_delta(i - 1, content);
    } else {
      builder.add(ObjectType::kBlob, content);
    }
    bytes += content.size();
  }
  repository_.add_pack(builder.build(), "p");
  repository_.blob("loose");
  for (const unsigned threads : {1u, 4u}) {
    const FsckReport report = repository_.check(threads);
    EXPECT_EQ(51u, report.statistics.objects);
    EXPECT_EQ(bytes + 5, report.statistics.object_bytes);
    EXPECT_EQ(1u, report.statistics.packs);
    EXPECT_EQ(1u, report.statistics.loose_objects);
  }
}

TEST_F(CheckStorageTest, LittleMemoryIsEnoughForABushOfLargeTrees) {
  // Trees of 2 MiB, each with two deltas on it, against 8 MiB: what cannot be kept is read again.
  PackBuilder builder;
  std::vector<testing::TreeLine> lines;
  const ObjectId blob = repository_.blob("in all trees");
  for (int i = 0; i < 60000; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "file%06d", i);
    lines.push_back({"100644", name, blob});
  }
  const Bytes first = tree_text(lines);
  builder.add(ObjectType::kTree, first);
  for (std::size_t i = 0; i < 30; ++i) {
    Bytes content = first;
    const Bytes more = tree_text({{"100644", "g" + std::to_string(i), blob}});
    content.insert(content.end(), more.begin(), more.end());
    builder.add_offset_delta(i / 2, content);
  }
  repository_.add_pack(builder.build(), "p");
  for (const unsigned threads : {1u, 3u}) {
    FsckOptions options = repository_.options(threads);
    options.memory = std::uint64_t{8} << 20;
    options.show_dangling = false;
    const FsckReport report = repository_.check(options);
    EXPECT_EQ(Lines{"notice: No default references"}, lines_of(report));
    EXPECT_EQ(32u, report.statistics.objects);
  }
}

}  // namespace
}  // namespace assay
