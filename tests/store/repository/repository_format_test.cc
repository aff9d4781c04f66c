#include "store/repository/repository_format.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace assay {
namespace {

class RepositoryFormatTest : public ::testing::Test {
 protected:
  Result<RepositoryFormat> read(const std::string& config) {
    root_.write("config", config);
    const auto local = GitConfig::load_file(os::System::real(), Environment(), root_.path("config"),
                                            ConfigScope::kLocal);
    if (!local) return tl::unexpected<Fault>(local.error());
    return read_repository_format(*local);
  }
  std::string fault_of(const std::string& config) {
    const auto format = read(config);
    if (format) return "none";
    std::string text;
    for (const std::string& cause : format.error().causes) text += cause + "; ";
    return text + format.error().text;
  }
  std::string bad_line(int line) {
    return "bad config line " + std::to_string(line) + " in file " + root_.path("config");
  }

  testing::TemporaryDirectory root_;
};

const std::string kVersion0 = "[core]\nrepositoryformatversion = 0\n";
const std::string kVersion1 = "[core]\nrepositoryformatversion = 1\n";

TEST_F(RepositoryFormatTest, ReadsEveryExtension) {
  const auto format = read(kVersion1 +
                           "bare = true\nworktree = ../w\n[extensions]\nobjectFormat = sha256\n"
                           "noop\nnoop-v1\npartialClone = origin\nworktreeConfig\n"
                           "preciousObjects = 1\nrelativeWorktrees = on\nrefStorage = files://x\n"
                           "compatObjectFormat = sha1\nsubmodulePathConfig = true\n");
  ASSERT_TRUE(format) << format.error().text;
  EXPECT_EQ(format->version, 1);
  EXPECT_EQ(format->hash_kind, HashKind::kSha256);
  EXPECT_EQ(format->partial_clone, "origin");
  EXPECT_TRUE(format->worktree_config);
  EXPECT_TRUE(format->precious_objects);
  EXPECT_TRUE(format->relative_worktrees);
  EXPECT_EQ(format->ref_storage, RefStorage::kFiles);
  EXPECT_EQ(format->bare, true);
  EXPECT_EQ(format->work_tree, "../w");
  EXPECT_EQ(read(kVersion1 + "[extensions]\nrefStorage = reftable\n")->ref_storage,
            RefStorage::kReftable);
}

TEST_F(RepositoryFormatTest, IsPlainWithoutVersion) {
  const auto format = read("[core]\nbare = false\n[extensions]\nobjectFormat = sha256\nfoo = 1\n");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->hash_kind, HashKind::kSha1);
  EXPECT_EQ(format->bare, false);
  EXPECT_TRUE(read(""));
}

TEST_F(RepositoryFormatTest, Version0KnowsTheOldExtensionsOnly) {
  const auto format = read(kVersion0 + "[extensions]\npartialClone = o\nworktreeConfig = 1\nfoo\n");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->partial_clone, "o");
  EXPECT_TRUE(format->worktree_config);
  EXPECT_EQ(fault_of(kVersion0 + "[extensions]\nobjectFormat = sha1\n"),
            "repo version is 0, but v1-only extension found:\n\tobjectformat");
  EXPECT_EQ(fault_of(kVersion0 + "[extensions]\nobjectFormat = sha1\nnoop-v1\n"),
            "repo version is 0, but v1-only extensions found:\n\tobjectformat\n\tnoop-v1");
}

TEST_F(RepositoryFormatTest, SaysWhatGitDiesOf) {
  EXPECT_EQ(fault_of("[core]\nrepositoryformatversion = 2\n"),
            "Expected git repo version <= 1, found 2");
  EXPECT_EQ(fault_of("[core]\nrepositoryformatversion = x\n"),
            "bad numeric config value 'x' for 'core.repositoryformatversion' in file " +
                root_.path("config") + ": invalid unit");
  EXPECT_EQ(fault_of("[core]\nrepositoryformatversion = 3g\n"),
            "bad numeric config value '3g' for 'core.repositoryformatversion' in file " +
                root_.path("config") + ": out of range");
  EXPECT_EQ(fault_of(kVersion1 + "[extensions]\nfoo = 1\n"),
            "unknown repository extension found:\n\tfoo");
  EXPECT_EQ(fault_of(kVersion1 + "[extensions]\nfoo\nbar\n"),
            "unknown repository extensions found:\n\tfoo\n\tbar");
  EXPECT_EQ(fault_of(kVersion1 + "[extensions]\nobjectFormat = md5\n"),
            "invalid value for 'extensions.objectformat': 'md5'; " + bad_line(4));
  EXPECT_EQ(fault_of(kVersion1 + "[extensions]\nrefStorage = sql\n"),
            "invalid value for 'extensions.refstorage': 'sql'; " + bad_line(4));
  EXPECT_EQ(fault_of(kVersion1 + "[extensions]\nobjectFormat\n"),
            "missing value for 'extensions.objectformat'; " + bad_line(4));
  EXPECT_EQ(fault_of(kVersion1 + "[extensions]\nworktreeConfig = x\n"),
            "bad boolean config value 'x' for 'extensions.worktreeconfig'");
  EXPECT_EQ(fault_of("[core]\nbare = x\n"), "bad boolean config value 'x' for 'core.bare'");
}

}  // namespace
}  // namespace assay
