#include "store/repository/repository.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/fake_objects.h"
#include "tests/support/repository_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::id_of_digit;
using testing::RepositoryFiles;

std::string fault_of(const Result<Repository>& repository) {
  return repository ? "none" : repository.error().text;
}

std::vector<std::string> paths_of(const std::vector<ObjectSource>& sources) {
  std::vector<std::string> paths;
  for (const ObjectSource& source : sources) paths.push_back(source.path);
  return paths;
}

TEST(Repository, OpensWithoutAConfigFile) {
  const RepositoryFiles files;
  files.make_git_directory("bare.git");
  const auto repository =
      Repository::open(os::System::real(), files.options(files.path("bare.git")));
  ASSERT_TRUE(repository) << repository.error().text;
  EXPECT_TRUE(repository->is_bare());
  EXPECT_EQ(repository->hash_kind(), HashKind::kSha1);
  EXPECT_FALSE(repository->has_promisor_remote());
  EXPECT_EQ(paths_of(repository->object_sources()),
            (std::vector<std::string>{files.path("bare.git/objects")}));
  EXPECT_EQ(repository->worktrees().worktrees.size(), 1U);
  EXPECT_TRUE(repository->refs().refs().empty());
  EXPECT_TRUE(repository->shallow()->empty());
  EXPECT_TRUE(repository->grafts().problems.empty());
}

TEST(Repository, TakesTheHashFromTheConfig) {
  const RepositoryFiles files;
  files.write("config",
              "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n");
  EXPECT_EQ(files.open()->hash_kind(), HashKind::kSha256);
  files.write("config", "[core]\nrepositoryformatversion = 1\n[extensions]\nfoo\n");
  EXPECT_EQ(fault_of(files.open()), "unknown repository extension found:\n\tfoo");
  files.write("config", "[core]\nrepositoryformatversion = 0\nx y\n");
  EXPECT_EQ(fault_of(files.open()), "bad config line 3 in file " + files.git_dir() + "/config");
}

TEST(Repository, TakesTheRefStorageFromTheEnvironment) {
  const RepositoryFiles files;
  files.write("config",
              "[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = reftable\n");
  const auto repository = files.open();
  ASSERT_TRUE(repository);
  const RefStore refs = repository->refs();
  ASSERT_EQ(refs.problems().size(), 1u);
  EXPECT_EQ(refs.problems()[0].id, MessageId::kReftableBad) << "there are no tables";
  OpenOptions options = files.options();
  options.environment.set("GIT_REFERENCE_BACKEND", "files");
  EXPECT_TRUE(Repository::open(os::System::real(), options)->refs().problems().empty());
  options.environment.set("GIT_REFERENCE_BACKEND", "sql");
  EXPECT_EQ(fault_of(Repository::open(os::System::real(), options)),
            "unknown ref storage format: 'sql'");
}

TEST(Repository, KnowsPromisorRemotes) {
  const RepositoryFiles files;
  EXPECT_FALSE(files.open()->has_promisor_remote());
  files.write("config", "[remote \"o\"]\npromisor = true\n");
  EXPECT_TRUE(files.open()->has_promisor_remote());
  files.write("config", "[core]\nrepositoryformatversion = 0\n[extensions]\npartialClone = o\n");
  EXPECT_TRUE(files.open()->has_promisor_remote());
  files.write("config", "[extensions]\npartialClone = o\n");  // no version, no extensions
  EXPECT_FALSE(files.open()->has_promisor_remote());
}

TEST(Repository, ReadsTheConfigOfTheWorktree) {
  const RepositoryFiles files;
  files.add_worktree("w");
  files.write("config",
              "[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nworktreeConfig\n");
  files.write("worktrees/w/config.worktree", "[a]\nv = w\n");
  const auto repository = Repository::open(os::System::real(), files.options(files.path("work-w")));
  ASSERT_TRUE(repository) << repository.error().text;
  EXPECT_EQ(repository->config().get("a.v"), "w");
  EXPECT_FALSE(repository->is_bare());
  EXPECT_FALSE(files.open()->config().get("a.v"));
  EXPECT_TRUE(files.open()->is_bare());
}

TEST(Repository, FollowsAlternatesOfFileAndEnvironment) {
  const RepositoryFiles files;
  fs::create_directories(files.path("one"));
  fs::create_directories(files.path("two"));
  files.write("objects/info/alternates", "../../../one\n../../../gone\n");
  OpenOptions options = files.options();
  options.environment.set("GIT_ALTERNATE_OBJECT_DIRECTORIES", files.path("two"));
  const auto repository = Repository::open(os::System::real(), options);
  ASSERT_TRUE(repository);
  EXPECT_EQ(paths_of(repository->object_sources()),
            (std::vector<std::string>{files.git_dir() + "/objects", files.path("two"),
                                      files.path("one")}));
  ASSERT_EQ(repository->alternate_problems().size(), 1U);
  EXPECT_EQ(repository->alternate_problems()[0].id, MessageId::kObjectDirectoryMissing);
}

TEST(Repository, ShallowCommitsWinOverGrafts) {
  const RepositoryFiles files;
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  files.write("info/grafts", a + " " + b + "\n" + b + " " + a + "\n");
  files.write("shallow", a + "\n");
  const auto parents = files.open()->substituted_parents();
  ASSERT_TRUE(parents);
  ASSERT_EQ(parents->size(), 2U);
  EXPECT_TRUE(parents->at(id_of_digit('a')).empty());
  EXPECT_EQ(parents->at(id_of_digit('b')).size(), 1U);
  files.write("shallow", "junk\n");
  EXPECT_EQ(files.open()->substituted_parents().error().text, "bad shallow line: junk");
  OpenOptions options = files.options();
  options.environment.set("GIT_SHALLOW_FILE", "");
  EXPECT_TRUE(Repository::open(os::System::real(), options)->substituted_parents());
}

TEST(Repository, ShowsPathsAsGitDoes) {
  const RepositoryFiles files;
  const auto repository = files.open();
  EXPECT_EQ(repository->shown_path(files.git_dir() + "/objects/ab/cd"), ".git/objects/ab/cd");
  EXPECT_EQ(repository->shown_path(files.git_dir() + "/index"), ".git/index");
  EXPECT_EQ(repository->shown_path(files.git_dir()), ".git");
  EXPECT_EQ(repository->shown_path(files.git_dir() + "x/y"), files.git_dir() + "x/y");
  EXPECT_EQ(repository->shown_path("/other"), "/other");
}

TEST(Repository, HandsOverridesToTheConfig) {
  const RepositoryFiles files;
  OpenOptions options = files.options();
  options.overrides = {parse_config_override("fsck.badDate=ignore")};
  EXPECT_EQ(Repository::open(os::System::real(), options)->config().get("fsck.baddate"), "ignore");
}

}  // namespace
}  // namespace assay
