#include "store/fsck/thread_count.h"

#include <gtest/gtest.h>

#include "tests/support/fsck_repository.h"

namespace assay {
namespace {

using testing::FsckRepository;
using testing::PackBuilder;

class ThreadCountTest : public ::testing::Test {
 protected:
  unsigned worthwhile(unsigned most) const {
    FindingList problems;
    const std::string objects = repository_.files().git_dir() + "/objects";
    const auto storage =
        Storage::load(os::System::real(), {{objects, "objects"}}, {}, Policy(), problems);
    return worthwhile_threads(*storage, most);
  }
  // The file need not be an object to be read.
  void put_loose(char digit, std::uint64_t size) const {
    const ObjectId id = *ObjectId::from_hex(std::string(40, digit), HashKind::kSha1);
    repository_.put_file(id, Bytes{'x'});
    std::filesystem::resize_file(repository_.files().git_dir() + "/" + repository_.object_path(id),
                                 size);
  }

  FsckRepository repository_;
};

TEST_F(ThreadCountTest, SmallRepositoriesHaveOne) {
  EXPECT_EQ(1u, worthwhile(8));
  for (int i = 0; i < 50; ++i) repository_.blob(std::to_string(i));
  PackBuilder builder;
  builder.add_blob("packed");
  repository_.add_pack(builder.build(), "p");
  EXPECT_EQ(1u, worthwhile(8));
  EXPECT_EQ(1u, worthwhile(1));
}

TEST_F(ThreadCountTest, ManyLooseObjectsHaveMore) {
  for (int i = 0; i < 150; ++i) repository_.blob(std::to_string(i));
  EXPECT_EQ(3u, worthwhile(8));
  EXPECT_EQ(2u, worthwhile(2));
}

TEST_F(ThreadCountTest, LargeLooseObjectsCountByTheirSize) {
  put_loose('a', kWorthAThread);
  EXPECT_EQ(2u, worthwhile(8));
  put_loose('b', kWorthAThread * 3);
  EXPECT_EQ(5u, worthwhile(8));
  EXPECT_EQ(5u, worthwhile(5));
  put_loose('c', std::uint64_t{1} << 40);
  EXPECT_EQ(8u, worthwhile(8));
}

TEST_F(ThreadCountTest, PacksCountByTheirSize) {
  std::string text;
  for (std::uint64_t i = 0; i < kWorthAThread; ++i) {
    text.push_back(static_cast<char>(i * i * 2654435761u >> 16));
  }
  PackBuilder builder;
  builder.add_blob(text);
  builder.entry(0).level = 0;
  const auto pack = builder.build();
  ASSERT_LT(kWorthAThread, pack.pack.size());
  repository_.add_pack(pack, "p");
  EXPECT_EQ(2u, worthwhile(8));
  repository_.add_pack(pack, "q");
  EXPECT_EQ(3u, worthwhile(8));
}

// Whoever says a number gets it.
TEST_F(ThreadCountTest, IsForThoseWhoSayNothing) {
  repository_.blob("x");
  EXPECT_EQ(1u, repository_.check(0).statistics.threads);
  EXPECT_EQ(3u, repository_.check(3).statistics.threads);
}

}  // namespace
}  // namespace assay
