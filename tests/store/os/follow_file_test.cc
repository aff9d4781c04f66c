#include "store/os/follow_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/failing_system.h"
#include "tests/support/temporary_directory.h"

namespace assay::os {
namespace {

namespace fs = std::filesystem;
using assay::testing::TemporaryDirectory;

int error_of(const OsResult<Bytes>& result) { return result ? 0 : result.error().code; }

TEST(FollowFile, ReadsThroughLinks) {
  const TemporaryDirectory root;
  root.write("file", "text");
  fs::create_symlink("file", root.path("link"));
  const auto bytes = read_followed_file(System::real(), root.path("link"), 100);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(as_text(*bytes), "text");
  EXPECT_TRUE(read_followed_file(System::real(), "/dev/null", 100)->empty());
}

TEST(FollowFile, RefusesOtherKindsWithoutBlocking) {
  const TemporaryDirectory root;
  root.write("file", "text");
  ASSERT_EQ(0, mkfifo(root.path("fifo").c_str(), 0600));
  fs::create_symlink("nowhere", root.path("dangling"));
  fs::create_symlink("loop", root.path("loop"));
  const auto read = [&](const char* name, std::uint64_t limit = 100) {
    return error_of(read_followed_file(System::real(), root.path(name), limit));
  };
  EXPECT_EQ(read("fifo"), EINVAL);
  EXPECT_EQ(read("."), EISDIR);
  EXPECT_EQ(read("dangling"), ENOENT);
  EXPECT_EQ(read("loop"), ELOOP);
  EXPECT_EQ(read("file", 3), EFBIG);
  EXPECT_EQ(read("file", 4), 0);
  EXPECT_EQ(read("file/x"), ENOTDIR);
}

TEST(FollowFile, ResolvesPaths) {
  const TemporaryDirectory root;
  const std::string top = fs::canonical(root.path()).string();
  fs::create_directories(root.path("a/b"));
  fs::create_directory_symlink("a/b", root.path("relative"));
  fs::create_directory_symlink(root.path("a"), root.path("absolute"));
  const auto real = [&](const std::string& path) {
    return real_path(System::real(), root.path(path)).value_or("error");
  };
  EXPECT_EQ(real("a/./b//"), top + "/a/b");
  EXPECT_EQ(real("relative/.."), top + "/a");
  EXPECT_EQ(real("absolute/b"), top + "/a/b");
  EXPECT_EQ(real("absolute/../relative"), top + "/a/b");
  EXPECT_EQ(real("a/none/x"), top + "/a/none/x");
  EXPECT_EQ(*real_path(System::real(), "/"), "/");
  EXPECT_EQ(*real_path(System::real(), "/../.."), "/");
  EXPECT_EQ(*real_path(System::real(), "."), fs::current_path().string());
  EXPECT_EQ(*absolute_path(System::real(), "x/../y"), fs::current_path().string() + "/x/../y");
}

TEST(FollowFile, BoundsMissingComponentsAndLinks) {
  const TemporaryDirectory root;
  fs::create_symlink("loop", root.path("loop"));
  const auto error = [&](const std::string& path, std::size_t missing) {
    const auto result = real_path(System::real(), root.path(path), missing);
    return result ? 0 : result.error().code;
  };
  EXPECT_EQ(error("x", 1), 0);
  EXPECT_EQ(error("x", 0), ENOENT);
  EXPECT_EQ(error("x/y", 1), ENOENT);
  EXPECT_EQ(error("loop", 1), ELOOP);
  // A chain of 41 links; from the second on there are 40.
  for (int i = 0; i < 41; ++i) {
    fs::create_symlink("l" + std::to_string(i + 1), root.path("l" + std::to_string(i)));
  }
  EXPECT_EQ(error("l1", 1), 0);
  EXPECT_EQ(error("l0", 1), ELOOP);
}

TEST(FollowFile, PassesErrorsOn) {
  const TemporaryDirectory root;
  root.write("file", "text");
  assay::testing::FailingSystem system;
  system.fail_all("read", EIO);
  EXPECT_EQ(error_of(read_followed_file(system, root.path("file"), 100)), EIO);
  system.fail_all("status_at", EACCES);
  EXPECT_EQ(real_path(system, root.path("file")).error().code, EACCES);
  EXPECT_TRUE(is_missing(Error{ENOTDIR}));
  EXPECT_FALSE(is_missing(Error{EACCES}));
}

}  // namespace
}  // namespace assay::os
