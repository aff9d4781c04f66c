#include "store/fsck/check_multi_pack_index.h"

#include <gtest/gtest.h>

#include "tests/support/derived_repository.h"
#include "tests/support/midx_builder.h"

namespace assay {
namespace {

using testing::be32_text;
using testing::chunk_offset;
using testing::chunk_row;
using testing::DerivedRepository;
using testing::exit_status_of;
using testing::lines_of;
using testing::MidxBuilder;

const char kName[] = "objects/pack/multi-pack-index";

// Two packs, the second with all that the first lacks.
class MultiPackIndexes : public ::testing::Test {
 protected:
  MultiPackIndexes() : repository_({{"repack", "-dq"}, {"+2"}, {"repack", "-dq"}}) {
    FindingList none = repository_.check();
    EXPECT_EQ(lines_of(none), "");
    EXPECT_EQ(repository_.storage().packs().size(), 2U);
  }

  const PackIndex& index(std::size_t pack) { return *repository_.storage().packs()[pack].index; }
  // "pack-....idx"
  std::string name(std::size_t pack) {
    const std::string& path = repository_.storage().packs()[pack].index_path;
    return path.substr(path.rfind('/') + 1);
  }
  std::string whole() {
    return MidxBuilder().pack(name(0), index(0)).pack(name(1), index(1)).bit_order(true).build();
  }
  // What is said of that file, its checksum made right.
  std::string said_of(const std::string& file) {
    repository_.write(kName, repository_.sealed(file));
    FindingList found = repository_.check();
    status_ = exit_status_of(found);
    return lines_of(found);
  }
  std::string said_of(std::string file, std::size_t offset, std::string_view bytes) {
    file.replace(offset, bytes.size(), bytes);
    return said_of(file);
  }

  DerivedRepository repository_;
  int status_ = 0;
};

TEST_F(MultiPackIndexes, SoundOnesOfBothVersionsAreSilent) {
  EXPECT_EQ(said_of(whole()), "");
  // Version 2 may name its packs in any order.
  MidxBuilder builder;
  builder.version(2).pack(name(1), index(1)).pack(name(0), index(0)).bit_order(true);
  EXPECT_EQ(said_of(builder.build()), "");
  EXPECT_EQ(said_of(builder.version(1).build()),
            "error: multi-pack-index pack names out of order: '" + name(1) + "' before '" +
                name(0) + "'\n" + "error: multi-pack-index file exists, but failed to parse\n");
  EXPECT_EQ(status_, 128);
}

TEST_F(MultiPackIndexes, LoadFaultsAreInGitsWords) {
  const std::string sound = whole();
  const std::string failed = "error: multi-pack-index file exists, but failed to parse\n";
  EXPECT_EQ(said_of(sound, 0, "X"),
            "error: multi-pack-index signature 0x58494458 does not match signature 0x4d494458\n" +
                failed);
  EXPECT_EQ(status_, 128);
  EXPECT_EQ(said_of(sound, 4, "\3"), "error: multi-pack-index version 3 not recognized\n" + failed);
  EXPECT_EQ(status_, 128);
  EXPECT_EQ(said_of(sound, 5, "\2"),
            "error: multi-pack-index hash version 2 does not match version 1\n" + failed);
  EXPECT_EQ(status_, 32);
  EXPECT_EQ(said_of(sound, 6, "\1"), "error: final chunk has non-zero id 4f494446\n" + failed);
  EXPECT_EQ(status_, 32);
  for (const auto& [id, what] :
       {std::pair("PNAM", "pack-name"), std::pair("OIDF", "OID fanout"),
        std::pair("OIDL", "OID lookup"), std::pair("OOFF", "object offsets")}) {
    EXPECT_EQ(said_of(sound, chunk_row(sound, id), "x"),
              std::string("error: multi-pack-index required ") + what +
                  " chunk missing or corrupted\n" + failed);
    EXPECT_EQ(status_, 128);
  }
  EXPECT_EQ(said_of(sound, chunk_offset(sound, "OIDF"), be32_text(0x1000000) + be32_text(7)),
            "error: oid fanout out of order: fanout[0] = 1000000 > 7 = fanout[1]\n"
            "error: multi-pack-index required OID fanout chunk missing or corrupted\n" +
                failed);
  EXPECT_EQ(said_of(sound, 8, be32_text(0x10000)),
            "error: multi-pack-index pack-name chunk is too short\n" + failed);
  repository_.write(kName, "short");
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found),
            "error: multi-pack-index file objects/pack/multi-pack-index is too "
            "small\n" +
                failed);
}

TEST_F(MultiPackIndexes, ChecksumsAndOrderAreChecked) {
  std::string changed = whole();
  changed.back() ^= 1;
  repository_.write(kName, changed);
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), "incorrect checksum\n");
  EXPECT_EQ(exit_status_of(found), 32);
  const std::string sound = whole();
  const std::size_t ids = chunk_offset(sound, "OIDL");
  const std::string first = to_hex(as_bytes(sound.substr(ids, 20)));
  const std::string nulls(40, '0');
  const std::string said = said_of(sound, ids + 20, std::string(20, '\0'));
  EXPECT_NE(said.find("oid lookup out of order: oid[0] = " + first + " >= " + nulls + " = oid[1]"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("failed to load pack entry for oid[1] = " + nulls), std::string::npos);
  EXPECT_NE(said.find("error: multi-pack-index lacks object "), std::string::npos);
  EXPECT_EQ(status_, 32);
}

TEST_F(MultiPackIndexes, OffsetsAreComparedWithThePackIndexes) {
  const std::string sound = whole();
  const std::size_t offsets = chunk_offset(sound, "OOFF");
  const std::size_t ids = chunk_offset(sound, "OIDL");
  for (std::uint32_t row = 0; row < 4; ++row) {
    const std::string hex = to_hex(as_bytes(sound.substr(ids + 20 * row, 20)));
    const std::string said = said_of(sound, offsets + 8 * row + 4, be32_text(0xd));
    EXPECT_EQ(said.substr(0, said.find(": ", 30)),
              "incorrect object offset for oid[" + std::to_string(row) + "] = " + hex);
    EXPECT_EQ(status_, 32);
  }
}

// git fsck dies when it reads an object by a number or an offset that is out of reach; it never
// reads blobs so.
TEST_F(MultiPackIndexes, PacksOutOfReachEndGitWhereItReads) {
  const std::string sound = whole();
  const std::size_t offsets = chunk_offset(sound, "OOFF");
  const std::size_t ids = chunk_offset(sound, "OIDL");
  const auto row_of = [&](const std::string& name) {
    const std::string hex = repository_.git({"rev-parse", name}).substr(0, 40);
    std::uint32_t row = 0;
    while (to_hex(as_bytes(sound.substr(ids + 20 * row, 20))) != hex) ++row;
    return row;
  };
  const std::uint32_t blob = row_of("main:d1/f");
  EXPECT_NE(said_of(sound, offsets + 8 * blob, be32_text(7))
                .find("fatal: bad pack-int-id: 7 (2 total packs)\n"),
            std::string::npos);
  EXPECT_EQ(status_, 32);
  const std::uint32_t tree = row_of("main^{tree}");
  EXPECT_NE(said_of(sound, offsets + 8 * tree, be32_text(7))
                .find("error: bad pack-int-id: 7 (2 total packs)\n"),
            std::string::npos);
  EXPECT_EQ(status_, 128);
  EXPECT_NE(said_of(sound, offsets + 8 * tree + 4, be32_text(0x00777777))
                .find("error: offset beyond end of packfile (truncated pack?)\n"),
            std::string::npos);
  EXPECT_EQ(status_, 128);
}

TEST_F(MultiPackIndexes, PacksMustBeThere) {
  const std::string sound = whole();
  std::string other = sound;
  const std::size_t names = chunk_offset(sound, "PNAM");
  other.replace(names, 6, "pack-0");
  const std::string said = said_of(other);
  EXPECT_NE(said.find("failed to load pack in position 0\n"), std::string::npos) << said;
  EXPECT_NE(said.find("failed to load pack entry for oid["), std::string::npos) << said;
  EXPECT_EQ(status_, 32);
  // A name that would lead elsewhere is not followed.
  other = sound;
  other.replace(names, 8, "../../aa");
  EXPECT_NE(said_of(other).find("failed to load pack in position 0\n"), std::string::npos);
}

TEST_F(MultiPackIndexes, AnObjectThatIsLeftOutIsMissed) {
  MidxBuilder builder;
  const std::string id(as_text(index(1).id({0}).bytes()));
  builder.pack(name(0), index(0)).pack(name(1), index(1)).without({id});
  EXPECT_EQ(said_of(builder.build()), "error: multi-pack-index lacks object " +
                                          to_hex(as_bytes(id)) + " of objects/pack/" +
                                          name(1).substr(0, name(1).size() - 4) + ".pack\n");
  EXPECT_EQ(status_, 32);
}

TEST_F(MultiPackIndexes, AnEmptyOneIsAFault) {
  EXPECT_EQ(said_of(MidxBuilder().build()), "the midx contains no oid\n");
  EXPECT_EQ(status_, 32);
}

TEST_F(MultiPackIndexes, LargeOffsetsAreFollowed) {
  // As MidxBuilder makes them, but the first object's offset in a chunk of its own.
  const std::string sound = whole();
  const auto chunk = [&](const char* id, std::size_t size) {
    return testing::ChunkText{id, sound.substr(chunk_offset(sound, id), size)};
  };
  const std::size_t count = (chunk_offset(sound, "OOFF") - chunk_offset(sound, "OIDL")) / 20;
  const std::size_t names = chunk_offset(sound, "OIDF") - chunk_offset(sound, "PNAM");
  testing::ChunkText offsets = chunk("OOFF", 8 * count);
  const std::uint32_t offset = read_be32(as_bytes(offsets.second).data() + 4);
  offsets.second.replace(4, 4, be32_text(0x80000000));
  const auto file_with = [&](const std::string& large) {
    return testing::chunk_file(sound.substr(0, 6) + '\5' + sound.substr(7, 5),
                               {chunk("PNAM", names),
                                chunk("OIDF", 1024),
                                chunk("OIDL", 20 * count),
                                offsets,
                                {"LOFF", large}});
  };
  EXPECT_EQ(said_of(file_with(testing::be64_text(offset))), "");
  EXPECT_NE(said_of(file_with(testing::be64_text((std::uint64_t{1} << 40) + offset)))
                .find("incorrect object offset for oid[0] = "),
            std::string::npos);
  EXPECT_NE(said_of(file_with("")).find("multi-pack-index large offset out of bounds\n"),
            std::string::npos);
  EXPECT_NE(status_, 0);
}

TEST_F(MultiPackIndexes, TheOrderOfBitsIsChecked) {
  const std::string sound = whole();
  const std::size_t order = chunk_offset(sound, "RIDX");
  std::string swapped = sound;
  swapped.replace(order, 4, sound.substr(order + 4, 4));
  swapped.replace(order + 4, 4, sound.substr(order, 4));
  EXPECT_EQ(said_of(swapped),
            "error: the reverse index of objects/pack/multi-pack-index is not in "
            "the order of packs at 1\n");
  EXPECT_EQ(status_, 32);
  EXPECT_EQ(said_of(sound, order, sound.substr(order + 4, 4)),
            "error: the reverse index of objects/pack/multi-pack-index does not name each object "
            "once\n");
  const std::string said = said_of(sound, chunk_offset(sound, "BTMP") + 4, be32_text(3));
  EXPECT_NE(
      said.find("error: multi-pack-index says that " + name(0) + " has 3 bits from 0 on, not "),
      std::string::npos)
      << said;
}

// A chain of two layers, as git 2.47 and later write it.
class MultiPackIndexLayers : public MultiPackIndexes {
 protected:
  MultiPackIndexLayers() {
    MidxBuilder lower;
    lower_ = lower.pack(name(0), index(0)).bit_order(true).build();
    MidxBuilder upper;
    upper.pack(name(1), index(1)).without(lower.raw_ids());
    upper.base(static_cast<std::uint32_t>(lower.raw_ids().size())).bit_order(true);
    upper_ = upper.build();
    repository_.write(path_of(lower_), lower_);
    repository_.write(path_of(upper_), upper_);
    chain_ = name_of(lower_) + "\n" + name_of(upper_) + "\n";
    repository_.write(kChain, chain_);
  }

  static std::string name_of(const std::string& file) {
    return to_hex(as_bytes(file.substr(file.size() - 20)));
  }
  static std::string path_of(const std::string& file) {
    return "objects/pack/multi-pack-index.d/multi-pack-index-" + name_of(file) + ".midx";
  }
  std::string said() {
    FindingList found = repository_.check();
    status_ = exit_status_of(found);
    return lines_of(found);
  }
  // What is said when one byte of the file is changed.
  std::string said_of_byte(const std::string& file, std::size_t at) {
    std::string changed = file;
    changed[at] ^= 1;
    repository_.write(path_of(file), changed);
    const std::string result = said();
    repository_.write(path_of(file), file);
    return result;
  }

  static constexpr char kChain[] = "objects/pack/multi-pack-index.d/multi-pack-index-chain";
  std::string lower_;
  std::string upper_;
  std::string chain_;
};

TEST_F(MultiPackIndexLayers, SoundOnesAreSilent) { EXPECT_EQ(said(), ""); }

TEST_F(MultiPackIndexLayers, EachOneIsVerified) {
  EXPECT_EQ(said_of_byte(upper_, upper_.size() - 1), "incorrect checksum\n");
  EXPECT_EQ(said_of_byte(lower_, lower_.size() - 1),
            "error: multi-pack-index layer " + path_of(lower_) + " has an incorrect checksum\n");
  EXPECT_EQ(status_, 32);
  for (const std::string& file : {lower_, upper_}) {
    const std::size_t first_pack = chunk_offset(file, "OOFF") + 3;
    EXPECT_NE(said_of_byte(file, first_pack).find("bad pack-int-id: "), std::string::npos);
    EXPECT_NE(said_of_byte(file, first_pack + 4).find("incorrect object offset for oid["),
              std::string::npos);
    EXPECT_NE(said_of_byte(file, chunk_offset(file, "RIDX") + 3).find("the reverse index of"),
              std::string::npos);
  }
  // Out of order in the lower layer: git reads the upper one's ids twice.
  std::string swapped = lower_;
  const std::size_t ids = chunk_offset(lower_, "OIDL");
  swapped.replace(ids, 20, lower_.substr(ids + 20, 20));
  swapped.replace(ids + 20, 20, lower_.substr(ids, 20));
  repository_.write(path_of(lower_), swapped);
  EXPECT_NE(said().find("error: oid lookup out of order: oid[0] = "), std::string::npos);
}

TEST_F(MultiPackIndexLayers, EveryFlippedByteIsFound) {
  for (const std::string& file : {lower_, upper_}) {
    for (std::size_t i = 0; i < file.size(); ++i) {
      EXPECT_NE(said_of_byte(file, i), "") << i;
      EXPECT_NE(status_, 0) << i;
    }
  }
}

TEST_F(MultiPackIndexLayers, AMissingLayerIsAFault) {
  repository_.remove(path_of(upper_));
  EXPECT_EQ(said(), "warning: unable to find all multi-pack index files\nerror: layers of " +
                        std::string(kChain) + " could not be loaded\n");
  EXPECT_EQ(status_, 32);
}

TEST_F(MultiPackIndexLayers, TheChainFileIsChecked) {
  repository_.write(kChain, "x" + chain_.substr(1));
  EXPECT_EQ(said(), "warning: invalid multi-pack-index chain: line 'x" + chain_.substr(1, 39) +
                        "' not a hash\nerror: layers of " + kChain + " could not be loaded\n");
  repository_.write(kChain, chain_.substr(0, 41) + chain_.substr(0, 41));
  EXPECT_NE(said().find("names layer " + name_of(lower_) + " twice"), std::string::npos);
  EXPECT_EQ(status_, 32);
  repository_.write(kChain, "short");
  EXPECT_EQ(said(), "warning: multi-pack-index chain file too small\nerror: layers of " +
                        std::string(kChain) + " could not be loaded\n");
  repository_.write(kChain, chain_.substr(0, 50));
  EXPECT_EQ(said(), "error: multi-pack-index chain ends in the middle of a line: '" +
                        chain_.substr(41, 9) + "'\nerror: layers of " + kChain +
                        " could not be loaded\n");
  repository_.write(kChain, "");
  EXPECT_EQ(said(), "");
}

TEST_F(MultiPackIndexLayers, ASingleFileComesFirst) {
  repository_.write(kChain, "x" + chain_.substr(1));
  EXPECT_EQ(said_of(whole()), "");
}

}  // namespace
}  // namespace assay
