#include "store/pack/entry_reader.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/temporary_directory.h"

namespace assay {
namespace {

using testing::Random;
using testing::TemporaryDirectory;

constexpr std::uint64_t kFirst = PackFile::kHeaderSize;

class EntryReaderTest : public ::testing::Test {
 protected:
  // A pack of random bytes, cut into what a forest would take for entries.
  void make_pack(std::uint64_t size) {
    bytes_ = {'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 7};
    const Bytes random = random_.bytes(static_cast<std::size_t>(size));
    bytes_.insert(bytes_.end(), random.begin(), random.end());
    bytes_.insert(bytes_.end(), 20, 0xee);
    directory_.write("p.pack", as_text(bytes_));
    pack_ = *PackFile::open(os::System::real(), directory_.path("p.pack"), HashKind::kSha1, "p");
  }

  // Whether the reader gives what is in the file, and as much as was promised.
  void expect_right(std::uint64_t begin, std::uint64_t end) {
    const ByteView got = reader_.read(*pack_, {begin}, {end});
    const std::uint64_t most = pack_->end_of_entries() - begin;
    const std::uint64_t least = std::max<std::uint64_t>(
        end - begin, std::min<std::uint64_t>(PackFile::kMaxEntryHeaderSize, most));
    ASSERT_GE(got.size(), least) << begin << " to " << end;
    ASSERT_LE(got.size(), most) << begin << " to " << end;
    EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes_.begin() + static_cast<long>(begin)))
        << begin << " to " << end;
  }

  bool is_mapped(ByteView view) const {
    const ByteView whole = pack_->bytes();
    return view.data() >= whole.data() && view.data() < whole.data() + whole.size();
  }

  Random random_{5};
  TemporaryDirectory directory_;
  Bytes bytes_;
  std::optional<PackFile> pack_;
  EntryReader reader_;
};

TEST_F(EntryReaderTest, GivesTheBytesOfTheFileInAnyOrder) {
  make_pack(300000);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t at = kFirst; at < pack_->end_of_entries();) {
    offsets.push_back(at);
    at += 1 + random_.below(random_.one_in(40) ? 100000 : random_.one_in(3) ? 30 : 900);
  }
  const auto end_of = [&](std::size_t i) {
    return i + 1 < offsets.size() ? offsets[i + 1] : pack_->end_of_entries();
  };
  for (std::size_t i = 0; i < offsets.size(); ++i) expect_right(offsets[i], end_of(i));
  for (std::size_t i = offsets.size(); i-- > 0;) expect_right(offsets[i], end_of(i));
  for (int n = 0; n < 2000; ++n) {
    const std::size_t i = random_.below(static_cast<std::uint32_t>(offsets.size()));
    expect_right(offsets[i], end_of(i));
  }
}

TEST_F(EntryReaderTest, ReadsSmallEntriesAndMapsLargeOnes) {
  make_pack(300000);
  EXPECT_FALSE(is_mapped(reader_.read(*pack_, {kFirst}, {kFirst + 500})));
  EXPECT_TRUE(is_mapped(reader_.read(*pack_, {kFirst + 500}, {kFirst + 200000})));
  EXPECT_FALSE(is_mapped(reader_.read(*pack_, {kFirst + 200000}, {kFirst + 200500})));
}

TEST_F(EntryReaderTest, TellsPacksApart) {
  make_pack(2000);
  const Bytes first = bytes_;
  const std::optional<PackFile> first_pack = std::move(pack_);
  make_pack(2000);
  ASSERT_NE(first, bytes_);
  expect_right(kFirst, kFirst + 100);
  const ByteView other = reader_.read(*first_pack, {kFirst}, {kFirst + 100});
  EXPECT_TRUE(std::equal(other.begin(), other.end(), first.begin() + kFirst));
}

// Whoever reads zeros then fails in the ordinary way, and the mapping says why.
TEST_F(EntryReaderTest, AFileCutShortIsReadFromTheMapping) {
  make_pack(300000);
  ASSERT_EQ(0, ::truncate(directory_.path("p.pack").c_str(), 4096));
  expect_right(kFirst, kFirst + 500);
  const ByteView lost = reader_.read(*pack_, {100000}, {100500});
  ASSERT_GE(lost.size(), 500u);
  EXPECT_EQ(0, lost[0]);
  EXPECT_TRUE(pack_->file().shrank());
}

TEST_F(EntryReaderTest, APackThatIsNotKeptOpenIsReadFromTheMapping) {
  std::vector<os::FileDescriptor> many;
  for (int i = 0; i < 140; ++i) many.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(many.back().is_open());
  make_pack(3000);
  EXPECT_TRUE(is_mapped(reader_.read(*pack_, {kFirst}, {kFirst + 500})));
  expect_right(kFirst, kFirst + 500);
}

}  // namespace
}  // namespace assay
