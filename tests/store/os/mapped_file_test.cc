#include "store/os/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/support/random.h"
#include "tests/support/temporary_directory.h"

namespace assay::os {
namespace {

using assay::testing::Random;
using assay::testing::TemporaryDirectory;

constexpr std::uint64_t kPage = 4096;

OsResult<MappedFile> map_path(System& system, const std::string& path) {
  auto fd = system.open(kCurrentDirectory, path, O_RDONLY);
  if (!fd) return tl::unexpected<Error>(fd.error());
  return MappedFile::map(system, *fd);
}

class MappedFileTest : public ::testing::Test {
 protected:
  // Makes a file of this many random bytes.
  Bytes make(const std::string& name, std::size_t size) {
    Random random(size);
    Bytes content = random.bytes(size);
    directory_.write(name, as_text(content));
    return content;
  }
  MappedFile map(const std::string& name) {
    auto file = map_path(System::real(), directory_.path(name));
    EXPECT_TRUE(file);
    return file ? std::move(*file) : MappedFile();
  }
  void cut(const std::string& name, std::uint64_t size) {
    ASSERT_EQ(0, ::truncate(directory_.path(name).c_str(), static_cast<off_t>(size)));
  }

  TemporaryDirectory directory_;
};

bool all_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

TEST_F(MappedFileTest, ShowsTheBytesOfTheFile) {
  for (const std::size_t size : {1u, 4095u, 4096u, 4097u, 100000u}) {
    const Bytes content = make("file", size);
    const MappedFile file = map("file");
    ASSERT_EQ(size, file.bytes().size());
    EXPECT_TRUE(std::ranges::equal(content, file.bytes()));
    EXPECT_FALSE(file.shrank());
  }
}

TEST_F(MappedFileTest, AnEmptyFileIsAnEmptyView) {
  make("empty", 0);
  const MappedFile file = map("empty");
  EXPECT_TRUE(file.bytes().empty());
  EXPECT_FALSE(file.shrank());
  file.drop_pages();
}

TEST_F(MappedFileTest, OnlyRegularFilesAreMapped) {
  const auto folder = map_path(System::real(), directory_.path());
  ASSERT_FALSE(folder);
  EXPECT_EQ(EINVAL, folder.error().code);
}

TEST_F(MappedFileTest, ATruncatedFileReadsAsZerosAndIsNoted) {
  const Bytes content = make("file", 10 * kPage + 100);
  const MappedFile file = map("file");
  cut("file", 3 * kPage + 50);
  const ByteView bytes = file.bytes();
  EXPECT_TRUE(std::equal(content.begin(), content.begin() + 3 * kPage + 50, bytes.begin()));
  EXPECT_FALSE(file.shrank());  // nothing that vanished has been touched
  EXPECT_TRUE(all_zero(bytes.subspan(4 * kPage)));
  EXPECT_TRUE(file.shrank());
  EXPECT_TRUE(all_zero(bytes.subspan(3 * kPage + 50)));
  EXPECT_TRUE(std::equal(content.begin(), content.begin() + 3 * kPage + 50, bytes.begin()));
}

TEST_F(MappedFileTest, AFileCutToNothingReadsAsZeros) {
  make("file", 5 * kPage);
  const MappedFile file = map("file");
  cut("file", 0);
  EXPECT_TRUE(all_zero(file.bytes()));
  EXPECT_TRUE(file.shrank());
}

TEST_F(MappedFileTest, HolesInOneFileAreNoHolesInAnother) {
  make("cut", 5 * kPage);
  const Bytes content = make("whole", 5 * kPage);
  const MappedFile cut_file = map("cut");
  const MappedFile whole_file = map("whole");
  cut("cut", kPage);
  EXPECT_TRUE(all_zero(cut_file.bytes().subspan(kPage)));
  EXPECT_TRUE(std::ranges::equal(content, whole_file.bytes()));
  EXPECT_TRUE(cut_file.shrank());
  EXPECT_FALSE(whole_file.shrank());
}

TEST_F(MappedFileTest, ASlotIsCleanWhenItIsUsedAgain) {
  make("cut", 5 * kPage);
  const Bytes content = make("whole", 5 * kPage);
  {
    const MappedFile file = map("cut");
    cut("cut", 0);
    EXPECT_TRUE(all_zero(file.bytes()));
    ASSERT_TRUE(file.shrank());
  }
  const MappedFile file = map("whole");
  EXPECT_FALSE(file.shrank());
  EXPECT_TRUE(std::ranges::equal(content, file.bytes()));
}

TEST_F(MappedFileTest, DroppedPagesAreReadAgain) {
  const Bytes content = make("file", 20 * kPage + 1);
  const MappedFile file = map("file");
  EXPECT_TRUE(std::ranges::equal(content, file.bytes()));
  file.drop_pages();
  EXPECT_TRUE(std::ranges::equal(content, file.bytes()));
  EXPECT_FALSE(file.shrank());
}

TEST_F(MappedFileTest, DroppingPagesForgetsNothingThatWasNoted) {
  const Bytes content = make("file", 10 * kPage);
  const MappedFile file = map("file");
  cut("file", 5 * kPage);
  EXPECT_TRUE(all_zero(file.bytes().subspan(5 * kPage)));
  file.drop_pages();
  EXPECT_TRUE(all_zero(file.bytes().subspan(5 * kPage)));
  EXPECT_TRUE(file.shrank());
  EXPECT_TRUE(std::equal(content.begin(), content.begin() + 5 * kPage, file.bytes().begin()));
}

TEST_F(MappedFileTest, TouchingALargeHoleHereAndThereStaysPossible) {
  // Every other page: a mapping for each hole would need more of them than the system allows one
  // process (65,530 by default).
  constexpr std::uint64_t kPages = 100000;
  make("file", 0);
  cut("file", kPages * kPage);  // sparse, so this takes no room
  const MappedFile file = map("file");
  cut("file", 0);
  std::uint64_t sum = 0;
  for (std::uint64_t page = 0; page < kPages; page += 2) sum += file.bytes()[page * kPage];
  for (std::uint64_t page = 1; page < kPages; page += 2) sum += file.bytes()[page * kPage];
  EXPECT_EQ(0u, sum);
  EXPECT_TRUE(file.shrank());
}

TEST_F(MappedFileTest, ManyMappingsAtOnce) {
  std::vector<MappedFile> files;
  std::vector<Bytes> contents;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string name = std::to_string(i);
    contents.push_back(make(name, kPage + i));
    files.push_back(map(name));
  }
  for (std::size_t i = 0; i < files.size(); i += 3) cut(std::to_string(i), 0);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i % 3 == 0) {
      EXPECT_TRUE(all_zero(files[i].bytes())) << i;
    } else {
      EXPECT_TRUE(std::ranges::equal(contents[i], files[i].bytes())) << i;
    }
    EXPECT_EQ(i % 3 == 0, files[i].shrank()) << i;
  }
}

TEST_F(MappedFileTest, SeveralThreadsMayStepIntoTheSameHole) {
  make("file", 200 * kPage);
  const MappedFile file = map("file");
  cut("file", kPage);
  std::vector<std::jthread> threads;
  std::atomic<int> zeros{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { zeros += all_zero(file.bytes().subspan(kPage)) ? 1 : 0; });
  }
  threads.clear();
  EXPECT_EQ(4, zeros.load());
  EXPECT_TRUE(file.shrank());
}

TEST_F(MappedFileTest, MovingTakesTheMappingAlong) {
  const Bytes content = make("file", 3 * kPage);
  MappedFile first = map("file");
  MappedFile second(std::move(first));
  EXPECT_TRUE(first.bytes().empty());
  EXPECT_TRUE(std::ranges::equal(content, second.bytes()));
  first = std::move(second);
  cut("file", 0);
  EXPECT_TRUE(all_zero(first.bytes()));
  EXPECT_TRUE(first.shrank());
  EXPECT_FALSE(second.shrank());
}

class NoMappings : public System {
 public:
  explicit NoMappings(int code) : code_(code) {}
  OsResult<const std::uint8_t*> map(int, std::uint64_t) override {
    return tl::unexpected<Error>(Error{code_});
  }

 private:
  int code_;
};

TEST_F(MappedFileTest, FilesAreReadWhenNoMoreCanBeMapped) {
  const Bytes content = make("file", 3 * kPage + 7);
  NoMappings system(ENOMEM);
  MappedFile moved;
  {
    auto file = map_path(system, directory_.path("file"));
    ASSERT_TRUE(file);
    moved = std::move(*file);
  }
  EXPECT_TRUE(std::ranges::equal(content, moved.bytes()));
  moved.drop_pages();
  EXPECT_TRUE(std::ranges::equal(content, moved.bytes()));
  EXPECT_FALSE(moved.shrank());
}

TEST_F(MappedFileTest, OtherFailuresToMapAreErrors) {
  make("file", kPage);
  NoMappings system(EACCES);
  const auto file = map_path(system, directory_.path("file"));
  ASSERT_FALSE(file);
  EXPECT_EQ(EACCES, file.error().code);
  // Nothing is left over: the next mapping works as if this one had not been tried.
  EXPECT_EQ(kPage, map("file").bytes().size());
}

using MappedFileDeathTest = MappedFileTest;

// Killed by the signal, or ended by a sanitizer, which has a handler of its own for it.
bool died_of_bus_error(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return true;
#endif
  return ::testing::KilledBySignal(SIGBUS)(status);
}

TEST_F(MappedFileDeathTest, ABusErrorElsewhereStillKills) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        make("file", 1);
        const MappedFile file = map("file");
        ::raise(SIGBUS);
      },
      died_of_bus_error, "");
}

}  // namespace
}  // namespace assay::os
