#include "store/fsck/check_index_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/fake_objects.h"
#include "tests/support/findings_text.h"
#include "tests/support/fsck_repository.h"
#include "tests/support/index_builder.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

using testing::exit_status_of;
using testing::id_of_digit;
using testing::IndexBuilder;
using testing::lines_of;
using testing::raw_text;

const ObjectId kA = id_of_digit('a');
const ObjectId kB = id_of_digit('b');
const ObjectId kC = id_of_digit('c');
const std::string kNul(1, '\0');

class CheckIndexFiles : public ::testing::Test {
 protected:
  CheckIndexFiles() {
    objects_.add(kA, ObjectType::kBlob);
    objects_.add(kB, ObjectType::kTree);
  }
  std::string check(const std::string& directory = "top") {
    return check(files_.options(files_.path(directory)));
  }
  std::string check(const OpenOptions& options) {
    const auto repository = Repository::open(os::System::real(), options);
    if (!repository) return repository.error().text;
    findings_.findings().clear();
    roots_ = {};
    check_index_files(*repository, objects_, policy_, roots_, findings_);
    return lines_of(findings_);
  }
  using Roots = std::vector<std::string>;

  testing::RepositoryFiles files_;
  testing::FakeObjects objects_;
  testing::RecordedRoots roots_;
  Policy policy_;
  FindingList findings_;
};

TEST_F(CheckIndexFiles, EntriesAreRootsAsBlobs) {
  files_.write("index", IndexBuilder(2)
                            .entry({kA, "f"})
                            .entry({kC, "gone", 0120000})
                            .entry({kC, "sub", 0160000})
                            .sealed());
  EXPECT_EQ(check(), "");  // an absent blob is found by the graph
  EXPECT_EQ(roots_.lines(), (Roots{"aaaa blob :f", "cccc blob :gone"}));
}

TEST_F(CheckIndexFiles, SparseDirectoriesAreRootsAsTrees) {
  files_.write(
      "index",
      IndexBuilder(3).entry({kB, "d/", 0040000, 0, 0x4000}).extension("sdir", "").sealed());
  EXPECT_EQ(check(), "");
  EXPECT_EQ(roots_.lines(), (Roots{"bbbb tree :d/", "bbbb unknown :"}));
}

TEST_F(CheckIndexFiles, TreesOfAFullIndexAreRootsWhereOneIsSparse) {
  const ObjectId top =
      name_object(ObjectType::kTree, testing::tree_text({{"40000", "d", kB}, {"100644", "f", kA}}),
                  HashKind::kSha1)
          .id;
  objects_.add(top, ObjectType::kTree);
  IndexBuilder builder(3);
  builder.entry({kB, "d/", 0040000, 0, 0x4000}).entry({kA, "f"});
  files_.write("index", builder.sealed());
  EXPECT_EQ(check(), "");
  EXPECT_EQ(roots_.lines().size(), 2U);
  files_.write("index", builder.extension("sdir", "").sealed());
  EXPECT_EQ(check(), "");
  EXPECT_EQ(roots_.lines(), (Roots{"bbbb tree :d/", "aaaa blob :f",
                                   top.hex().substr(0, 4) + " unknown :", "bbbb unknown :"}));
}

TEST_F(CheckIndexFiles, CacheTreesMustBeMadeOfTheEntries) {
  const auto tree_of = [](const std::vector<testing::TreeLine>& lines) {
    return name_object(ObjectType::kTree, testing::tree_text(lines), HashKind::kSha1).id;
  };
  const ObjectId inner = tree_of({{"100644", "f", kA}});
  const ObjectId top = tree_of({{"40000", "d", inner}, {"100644", "g", kA}});
  for (const ObjectId& id : {inner, top}) objects_.add(id, ObjectType::kTree);
  const auto said_of = [&](const ObjectId& root, const std::string& counts,
                           const std::string& inner_node, std::uint32_t extended = 0) {
    files_.write("index", IndexBuilder(3)
                              .entry({kA, "d/f", 0100644, 0, extended})
                              .entry({kA, "g"})
                              .extension("TREE", kNul + counts + raw_text(root) + inner_node)
                              .sealed());
    return check();
  };
  const std::string good = "d" + kNul + "1 0\n" + raw_text(inner);
  EXPECT_EQ(said_of(top, "2 1\n", good), "");
  EXPECT_EQ(said_of(top, "2 1\n", "d" + kNul + "-1 0\n"), "");
  EXPECT_EQ(said_of(top, "3 1\n", good), "error: cache-tree of .git/index names " + top.hex() +
                                             " for '', made of 3 entries, but there are 2\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
  EXPECT_EQ(said_of(kB, "2 1\n", good), "error: cache-tree of .git/index names " + kB.hex() +
                                            " for '', but its entries make " + top.hex() + "\n");
  EXPECT_EQ(said_of(kB, "2 1\n", "d" + kNul + "1 0\n" + raw_text(top)),
            "error: cache-tree of .git/index names " + top.hex() +
                " for 'd', but its entries make " + inner.hex() + "\n");
  EXPECT_EQ(said_of(top, "2 1\n", "e" + kNul + "1 0\n" + raw_text(inner)),
            "error: cache-tree of .git/index names " + inner.hex() +
                " for 'e', for which there are no entries\n");
  // Of what is only announced nothing is known.
  EXPECT_EQ(said_of(kB, "2 1\n", good, 0x2000), "");
}

TEST_F(CheckIndexFiles, NoIndexIsFine) {
  EXPECT_EQ(check(), "");
  EXPECT_TRUE(roots_.lines().empty());
}

TEST_F(CheckIndexFiles, CacheTreesMustBeThereAndBeTrees) {
  // "" is valid; "a" is gone, so that git does not look at "a/x"; "b" is no tree.
  const std::string tree = kNul + "9 3\n" + raw_text(kB) + "a" + kNul + "3 1\n" + raw_text(kC) +
                           "x" + kNul + "1 0\n" + raw_text(kC) + "b" + kNul + "2 0\n" +
                           raw_text(kA) + "c" + kNul + "-1 0\n";
  files_.write("index", IndexBuilder(2).extension("TREE", tree).sealed());
  EXPECT_EQ(check(), "error: " + kC.hex() + ": invalid sha1 pointer in cache-tree of .git/index\n" +
                         "error in blob " + kA.hex() + ": non-tree in cache-tree\n");
  EXPECT_EQ(exit_status_of(findings_), 8 + 1);
  EXPECT_EQ(roots_.lines(), (Roots{"bbbb unknown :", "aaaa unknown :"}));
  EXPECT_EQ(findings_.findings()[0].oid, kC);
  EXPECT_EQ(findings_.findings()[0].file, ".git/index");
  EXPECT_EQ(findings_.findings()[0].order.phase, 40U);
}

TEST_F(CheckIndexFiles, ResolveUndoBlobsMustBeThere) {
  const std::string undo = "f" + kNul + "100644" + kNul + "120000" + kNul + "100755" + kNul +
                           raw_text(kA) + raw_text(kC) + raw_text(kC);
  files_.write("index", IndexBuilder(2).extension("REUC", undo).sealed());
  // Links (stage 2 here) are not looked at.
  EXPECT_EQ(check(),
            "error: " + kC.hex() + ": invalid sha1 pointer in resolve-undo of .git/index\n");
  EXPECT_EQ(exit_status_of(findings_), 8);
  EXPECT_EQ(roots_.lines(), (Roots{"aaaa unknown :(0):f"}));
}

TEST_F(CheckIndexFiles, AFileThatGitDiesOfIsOneFindingAndTheOthersAreChecked) {
  files_.add_worktree("w");
  std::string bad = IndexBuilder(2).entry({kA, "f"}).sealed();
  bad.back() ^= 1;
  files_.write("index", bad);
  files_.write("worktrees/w/index", IndexBuilder(2).entry({kA, "g"}).sealed());
  EXPECT_EQ(check(),
            "error: bad index file sha1 signature\n"
            "error: .git/index: index file corrupt\n");
  EXPECT_EQ(exit_status_of(findings_), 128);
  EXPECT_EQ(roots_.lines(), (Roots{"aaaa blob .git/worktrees/w/index:g"}));
  files_.write("index", "short");
  EXPECT_EQ(check(), "error: .git/index: index file smaller than expected\n");
  std::filesystem::remove(files_.git_dir() + "/index");
  std::filesystem::create_directory(files_.git_dir() + "/index");
  EXPECT_EQ(check(), "error: .git/index: index file open failed: Is a directory\n");
}

TEST_F(CheckIndexFiles, WrongOrderIsFatalForGitButEntriesAreStillRoots) {
  files_.write("index", IndexBuilder(2).entry({kA, "g"}).entry({kA, "f"}).sealed());
  EXPECT_EQ(check(), "error: .git/index: unordered stage entries in index\n");
  EXPECT_EQ(exit_status_of(findings_), 128);
  EXPECT_EQ(roots_.lines().size(), 2U);
}

TEST_F(CheckIndexFiles, UnreadableExtensionsAreWarnings) {
  files_.write("index", IndexBuilder(2).extension("REUC", "x").sealed());
  EXPECT_EQ(check(), "error: .git/index: Index records invalid resolve-undo information\n");
  EXPECT_EQ(exit_status_of(findings_), 0);
}

TEST_F(CheckIndexFiles, WorktreesAreNamedAsTheyAreSeen) {
  files_.add_worktree("w");
  files_.write("index", IndexBuilder(2).entry({kA, "f"}).sealed());
  files_.write("worktrees/w/index", IndexBuilder(2).entry({kA, "g"}).sealed());
  EXPECT_EQ(check("work-w"), "");
  EXPECT_EQ(roots_.lines(), (Roots{"aaaa blob " + files_.git_dir() + "/index:f", "aaaa blob :g"}));
  OpenOptions options = files_.options();
  options.environment.set("GIT_INDEX_FILE", files_.path("mine"));
  files_.root().write("mine", IndexBuilder(2).entry({kA, "h"}).sealed());
  EXPECT_EQ(check(options), "");
  EXPECT_EQ(roots_.lines()[0], "aaaa blob :h");
}

TEST_F(CheckIndexFiles, SplitIndexesNeedTheirBase) {
  IndexBuilder shared(2);
  shared.entry({kA, "f"}).entry({kA, "g"});
  const std::string name = "sharedindex." + shared.checksum().hex();
  const std::string link = raw_text(shared.checksum()) +
                           testing::ewah_text(64, {testing::ewah_marker(false, 0, 1), 1}) +
                           testing::ewah_text(0, {});
  files_.write("index", IndexBuilder(2).entry({kC, "h"}).extension("link", link).sealed());
  EXPECT_EQ(check(), "error: .git/index: .git/" + name +
                         ": index file open failed: No such file or directory\n");
  files_.write(name, shared.sealed());
  EXPECT_EQ(check(), "");
  EXPECT_EQ(roots_.lines(), (Roots{"aaaa blob :g", "cccc blob :h"}));
  const IndexBuilder other = IndexBuilder(2).entry({kA, "f"});
  files_.write(name, other.sealed());
  EXPECT_EQ(check(), "error: .git/index: broken index, expect " + shared.checksum().hex() +
                         " in .git/" + name + ", got " + other.checksum().hex() + "\n");
  EXPECT_EQ(exit_status_of(findings_), 128);
}

}  // namespace
}  // namespace assay
