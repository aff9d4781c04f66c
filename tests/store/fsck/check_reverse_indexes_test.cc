#include "store/fsck/check_reverse_indexes.h"

#include <gtest/gtest.h>

#include "tests/support/derived_repository.h"

namespace assay {
namespace {

using testing::DerivedRepository;
using testing::exit_status_of;
using testing::lines_of;

class ReverseIndexes : public ::testing::Test {
 protected:
  ReverseIndexes()
      : repository_({{"-c", "pack.writeReverseIndex=true", "repack", "-adq"}}),
        name_(repository_.file(".rev")),
        stem_(name_.substr(0, name_.size() - 4)),
        sound_(repository_.read(name_)) {}

  // What is said when bytes at `offset` are replaced and the checksum is right again.
  std::string said_of(std::size_t offset, std::string_view bytes) {
    std::string changed = sound_;
    changed.replace(offset, bytes.size(), bytes);
    repository_.write(name_, repository_.sealed(std::move(changed)));
    FindingList found = repository_.check();
    status_ = exit_status_of(found);
    return lines_of(found);
  }
  std::string unable() const {
    return "error: unable to load rev-index for pack '" + stem_ + ".pack'\n";
  }

  DerivedRepository repository_;
  std::string name_;
  std::string stem_;
  std::string sound_;
  int status_ = 0;
};

TEST_F(ReverseIndexes, HeadersAreCheckedInGitsWords) {
  EXPECT_EQ(said_of(1, "\7"),
            "error: reverse-index file " + name_ + " has unknown signature\n" + unable());
  EXPECT_EQ(status_, 64);
  EXPECT_EQ(said_of(7, "\2"),
            "error: reverse-index file " + name_ + " has unsupported version 2\n" + unable());
  EXPECT_EQ(said_of(11, "\3"),
            "error: reverse-index file " + name_ + " has unsupported hash id 3\n" + unable());
}

TEST_F(ReverseIndexes, SizesAreCheckedInGitsWords) {
  repository_.write(name_, sound_.substr(0, 51));
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), "error: reverse-index file " + name_ + " is too small\n" + unable());
  repository_.write(name_, sound_ + "1234");
  found = repository_.check();
  EXPECT_EQ(lines_of(found), "error: reverse-index file " + name_ + " is corrupt\n" + unable());
}

TEST_F(ReverseIndexes, EveryWrongPositionIsNamed) {
  const ByteView bytes = as_bytes(sound_);
  const std::uint32_t first = read_be32(bytes.data() + 12);
  const std::uint32_t third = read_be32(bytes.data() + 20);
  std::string changed = sound_;
  changed.replace(12, 4, sound_.substr(20, 4));
  changed.replace(20, 4, sound_.substr(12, 4));
  repository_.write(name_, repository_.sealed(changed));
  FindingList found = repository_.check();
  const std::string a = std::to_string(first);
  const std::string c = std::to_string(third);
  EXPECT_EQ(lines_of(found), "error: invalid rev-index position at 0: " + a + " != " + c + "\n" +
                                 "error: invalid rev-index position at 2: " + c + " != " + a +
                                 "\nerror: invalid rev-index for pack '" + stem_ + ".pack'\n");
}

TEST_F(ReverseIndexes, ChecksumIsVerifiedWhateverTheConfigurationSays) {
  std::string changed = sound_;
  changed.back() ^= 1;
  repository_.write(name_, changed);
  FindingList found = repository_.check({{"pack.readReverseIndex", "false"}});
  EXPECT_EQ(lines_of(found),
            "error: invalid checksum\nerror: invalid rev-index for pack '" + stem_ + ".pack'\n");
}

TEST_F(ReverseIndexes, OneOfAnotherPackOrHashIsAWarning) {
  EXPECT_EQ(said_of(11, "\2"),
            "warning: reverse-index file " + name_ + " has hash id 2, the repository 1\n");
  EXPECT_EQ(status_, 0);
  const std::size_t pack_checksum = sound_.size() - 40;
  EXPECT_EQ(said_of(pack_checksum, std::string(20, '\xab')),
            "warning: reverse-index file " + name_ +
                " was made for pack abababababababababababababababababababab\n");
}

TEST_F(ReverseIndexes, AbsentOnesAreFine) {
  repository_.remove(name_);
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), "");
}

// git tries to load the reverse index of every pack, and needs the index for that.
TEST_F(ReverseIndexes, APackWithABadIndexHasABadReverseIndex) {
  const std::string index = repository_.read(stem_ + ".idx");
  repository_.write(stem_ + ".idx", index.substr(0, 100));
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), unable());
  EXPECT_EQ(exit_status_of(found), 64);
}

TEST_F(ReverseIndexes, APackThatIsRefusedIsStillLookedAt) {
  const std::string pack = repository_.read(stem_ + ".pack");
  repository_.write(stem_ + ".pack", pack.substr(0, pack.size() - 1) + "x");  // not the index's
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), "");
  EXPECT_NE(said_of(12, std::string("\0\0\0\x7f", 4)), "");
  EXPECT_EQ(status_, 64);
}

}  // namespace
}  // namespace assay
