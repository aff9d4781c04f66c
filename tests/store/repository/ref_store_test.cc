#include "store/repository/ref_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/failing_system.h"
#include "tests/support/fake_objects.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::id_of_digit;
using testing::RepositoryFiles;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kC(40, 'c');

class RefStoreTest : public ::testing::Test {
 protected:
  RefStore store(const std::string& worktree = "") {
    const std::string git_dir =
        worktree.empty() ? files_.git_dir() : files_.git_dir() + "/worktrees/" + worktree;
    return RefStore::snapshot(os::System::real(), {git_dir, files_.git_dir(), ".git"},
                              HashKind::kSha1);
  }
  // "NAME DIGIT" of every ref, the digit that its id is made of, or what is wrong with it.
  static std::string listed(const RefStore& store) {
    std::string text;
    for (const Ref& ref : store.refs()) {
      text += ref.name + " " + (ref.broken ? ref.broken->text : ref.id.hex().substr(0, 1)) + "\n";
    }
    return text;
  }
  static std::string found(const RefStore& store, const std::string& name) {
    const auto ref = store.find(name);
    if (!ref) return "none";
    return ref->broken ? ref->broken->text : ref->id.hex().substr(0, 1);
  }

  RepositoryFiles files_;
};

TEST_F(RefStoreTest, MergesLooseAndPacked) {
  files_.write("packed-refs", kA + " refs/heads/x\n" + kA + " refs/heads/y\n");
  files_.write("refs/heads/x", kB + "\n");
  files_.write("refs/tags/deep/er", kC + "\n");
  const RefStore refs = store();
  EXPECT_EQ(listed(refs), "refs/heads/x b\nrefs/heads/y a\nrefs/tags/deep/er c\n");
  EXPECT_FALSE(refs.refs()[0].packed);
  EXPECT_TRUE(refs.refs()[1].packed);
  EXPECT_EQ(refs.refs()[0].file, files_.git_dir() + "/refs/heads/x");
  EXPECT_EQ(refs.refs()[1].file, files_.git_dir() + "/packed-refs");
  EXPECT_FALSE(refs.packed_refs_fault());
}

TEST_F(RefStoreTest, RefsMoveIntoPackedRefsMeanwhile) {
  files_.write("refs/heads/x", kA + "\n");
  files_.write("refs/heads/y", kB + "\n");
  testing::FailingSystem system;
  int lists = 0;
  system.before_each([&](const std::string& name) {
    if (name != "list" || ++lists != 1) return;
    files_.write("packed-refs", kA + " refs/heads/x\n" + kB + " refs/heads/y\n");
    fs::remove(files_.git_dir() + "/refs/heads/x");
    fs::remove(files_.git_dir() + "/refs/heads/y");
  });
  const RefStore store =
      RefStore::snapshot(system, {files_.git_dir(), files_.git_dir(), ".git"}, HashKind::kSha1);
  EXPECT_EQ(listed(store), "refs/heads/x a\nrefs/heads/y b\n");
}

TEST_F(RefStoreTest, ADirectoryDoesNotHideThePackedRef) {
  files_.write("packed-refs", kA + " refs/heads/x\n");
  fs::create_directories(files_.git_dir() + "/refs/heads/x");
  EXPECT_EQ(listed(store()), "refs/heads/x a\n");
  EXPECT_EQ(found(store(), "refs/heads/x"), "a");
}

TEST_F(RefStoreTest, FollowsSymrefs) {
  files_.write("refs/heads/main", kA + "\n");
  files_.write("packed-refs", kB + " refs/heads/packed\n");
  files_.write("refs/remotes/origin/HEAD", "ref: refs/heads/packed\n");
  files_.write("refs/heads/s1", "ref: refs/heads/main\n");
  files_.write("refs/heads/s2", "ref: refs/heads/s1\n");
  files_.write("refs/heads/s3", "ref: refs/heads/s2\n");
  files_.write("refs/heads/s4", "ref: refs/heads/s3\n");
  files_.write("refs/heads/s5", "ref: refs/heads/s4\n");
  files_.write("refs/heads/t", "ref: refs/heads/t\n");
  EXPECT_EQ(listed(store()),
            "refs/heads/main a\nrefs/heads/packed b\nrefs/heads/s1 a\nrefs/heads/s2 a\n"
            "refs/heads/s3 a\nrefs/heads/s4 a\n"
            "refs/heads/s5 symbolic refs are nested too deeply\n"
            "refs/heads/t symbolic refs are nested too deeply\nrefs/remotes/origin/HEAD b\n");
  EXPECT_EQ(store().find("HEAD")->symref_target, "refs/heads/main");
  EXPECT_EQ(found(store(), "HEAD"), "a");
}

TEST_F(RefStoreTest, SaysWhatIsBroken) {
  files_.write("refs/heads/empty", "");
  files_.write("refs/heads/nul", std::string(41, '\0'));
  files_.write("refs/heads/null", std::string(40, '0') + "\n");
  files_.write("refs/heads/dangling", "ref: refs/heads/gone\n");
  files_.write("refs/heads/to-empty", "ref: refs/heads/empty\n");
  files_.write("refs/heads/to-bad", "ref: refs/heads/a..b\n");
  files_.write("refs/heads/bad name", kA + "\n");
  files_.write("packed-refs", kA + " refs/heads/packed bad\n");
  EXPECT_EQ(listed(store()),
            "refs/heads/bad name name is not a valid ref name\n"
            "refs/heads/dangling points to refs/heads/gone, which does not exist\n"
            "refs/heads/empty file is empty\n"
            "refs/heads/nul file holds NUL bytes only\n"
            "refs/heads/null object id is null\n"
            "refs/heads/packed bad name is not a valid ref name\n"
            "refs/heads/to-bad points to 'refs/heads/a..b', which is no valid ref name\n"
            "refs/heads/to-empty points to refs/heads/empty, whose file is empty\n");
  const RefStore refs = store();
  for (const Ref& ref : refs.refs()) {
    EXPECT_TRUE(ref.id.is_null()) << ref.name;
    EXPECT_EQ(ref.dangling, ref.name == "refs/heads/dangling") << ref.name;
  }
  EXPECT_EQ(found(store(), "HEAD"), "points to refs/heads/main, which does not exist");
  EXPECT_TRUE(store().find("HEAD")->dangling);
  EXPECT_EQ(found(store(), "refs/heads/gone"), "none");
}

TEST_F(RefStoreTest, PassesOverLocksHiddenFilesAndSpecialFiles) {
  files_.write("refs/heads/x.lock", kA + "\n");
  files_.write("refs/heads/.hidden", kA + "\n");
  ASSERT_EQ(0, mkfifo((files_.git_dir() + "/refs/fifo").c_str(), 0600));
  EXPECT_EQ(listed(store()), "");
  EXPECT_EQ(found(store(), "refs/fifo"), "cannot be read: Invalid argument");
}

TEST_F(RefStoreTest, ReadsSymbolicLinks) {
  files_.write("refs/heads/main", kA + "\n");
  fs::create_symlink("refs/heads/main", files_.git_dir() + "/refs/heads/as-symref");
  fs::create_symlink("main", files_.git_dir() + "/refs/heads/as-file");
  fs::create_symlink("nowhere", files_.git_dir() + "/refs/heads/dangling");
  EXPECT_EQ(listed(store()), "refs/heads/as-file a\nrefs/heads/as-symref a\nrefs/heads/main a\n");
}

TEST_F(RefStoreTest, EndsInDirectoriesThatLinkToThemselves) {
  files_.write("refs/heads/main", kA + "\n");
  fs::create_directory_symlink(".", files_.git_dir() + "/refs/heads/loop");
  fs::create_directory_symlink("..", files_.git_dir() + "/refs/heads/up");
  const RefStore refs = store();
  EXPECT_GE(refs.refs().size(), 1U);
  EXPECT_LT(refs.refs().size(), 100U);
  EXPECT_EQ(found(refs, "refs/heads/main"), "a");
}

TEST_F(RefStoreTest, KeepsWorktreesApart) {
  files_.add_worktree("w");
  files_.write("refs/heads/main", kA + "\n");
  files_.write("refs/heads/w", kB + "\n");
  files_.write("refs/bisect/bad", kA + "\n");
  files_.write("worktrees/w/refs/bisect/bad", kC + "\n");
  files_.write("worktrees/w/refs/heads/not-seen", kC + "\n");
  EXPECT_EQ(listed(store()), "refs/bisect/bad a\nrefs/heads/main a\nrefs/heads/w b\n");
  EXPECT_EQ(listed(store("w")), "refs/bisect/bad c\nrefs/heads/main a\nrefs/heads/w b\n");
  EXPECT_EQ(found(store(), "HEAD"), "a");
  EXPECT_EQ(found(store(), "worktrees/w/HEAD"), "b");
  EXPECT_EQ(found(store("w"), "HEAD"), "b");
  EXPECT_EQ(found(store("w"), "main-worktree/HEAD"), "a");
  EXPECT_EQ(found(store("w"), "main-worktree/refs/bisect/bad"), "a");
}

TEST_F(RefStoreTest, ResolvesShortNamesInGitsOrder) {
  files_.write("refs/heads/x", kA + "\n");
  files_.write("refs/tags/x", kB + "\n");
  files_.write("refs/remotes/o/HEAD", kC + "\n");
  files_.write("ORIG_HEAD", kC + "\n");
  files_.write("config", kC + "\n");
  files_.write("refs/tags/broken", "");
  files_.write("refs/heads/broken", kA + "\n");
  const RefStore refs = store();
  const auto name_of = [&](const std::string& name) {
    const auto ref = refs.resolve(name);
    return ref ? ref->name : "none";
  };
  EXPECT_EQ(name_of("x"), "refs/tags/x");
  EXPECT_EQ(name_of("heads/x"), "refs/heads/x");
  EXPECT_EQ(name_of("refs/heads/x"), "refs/heads/x");
  EXPECT_EQ(name_of("o"), "refs/remotes/o/HEAD");
  EXPECT_EQ(name_of("ORIG_HEAD"), "ORIG_HEAD");
  EXPECT_EQ(name_of("broken"), "refs/heads/broken");
  for (const char* none : {"config", "HEAD", "", "../x", "refs/../config", "y"}) {
    EXPECT_EQ(name_of(none), "none") << none;
  }
}

TEST_F(RefStoreTest, KeepsWhatCanBeReadOfABadPackedRefs) {
  files_.write("packed-refs", kA + " refs/heads/x\njunk\n" + kB + " refs/heads/y\n");
  const RefStore refs = store();
  EXPECT_EQ(listed(refs), "refs/heads/x a\nrefs/heads/y b\n");
  ASSERT_TRUE(refs.packed_refs_fault());
  EXPECT_EQ(refs.packed_refs_fault()->text, "unexpected line in .git/packed-refs: junk");
  fs::remove(files_.git_dir() + "/packed-refs");
  fs::create_directory(files_.git_dir() + "/packed-refs");
  EXPECT_EQ(store().packed_refs_fault()->text, "couldn't read .git/packed-refs: Is a directory");
}

TEST_F(RefStoreTest, NamesDirectoriesAndFilesThatCannotBeRead) {
  files_.write("refs/heads/x", kA + "\n");
  testing::FailingSystem system;
  system.before_open([](const std::string& path, int) { return path.ends_with("/x") ? EIO : 0; });
  const RefStoreLocation location{files_.git_dir(), files_.git_dir()};
  RefStore refs = RefStore::snapshot(system, location, HashKind::kSha1);
  EXPECT_EQ(listed(refs), "refs/heads/x cannot be read: Input/output error\n");
  system.fail_all("list", EACCES);
  refs = RefStore::snapshot(system, location, HashKind::kSha1);
  ASSERT_FALSE(refs.problems().empty());
  EXPECT_EQ(refs.problems()[0].text,
            "cannot open directory " + files_.git_dir() + "/refs/: Permission denied");
}

}  // namespace
}  // namespace assay
