#include "store/repository/git_config.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/failing_system.h"
#include "tests/support/temporary_directory.h"

namespace assay {
namespace {

using testing::TemporaryDirectory;

class GitConfigTest : public ::testing::Test {
 protected:
  GitConfigTest() {
    environment_.set("GIT_CONFIG_SYSTEM", root_.path("system"));
    environment_.set("HOME", root_.path("home"));
    sources_.git_dir = sources_.common_dir = root_.path("git");
    std::filesystem::create_directories(root_.path("git"));
  }
  Result<GitConfig> load() { return GitConfig::load(os::System::real(), environment_, sources_); }
  // All entries as "key=value|", or the fault with its causes.
  std::string loaded() {
    const auto config = load();
    std::string text;
    if (!config) {
      for (const std::string& cause : config.error().causes) text += cause + "; ";
      return text + config.error().text;
    }
    for (const ConfigEntry& entry : config->entries()) {
      text += entry.key + "=" + entry.value.value_or("") + "|";
    }
    return text;
  }

  TemporaryDirectory root_;
  Environment environment_;
  ConfigSources sources_;
};

TEST_F(GitConfigTest, ReadsSourcesFromWeakToStrong) {
  root_.write("system", "[a]\nv = system\n");
  root_.write("home/.config/git/config", "[a]\nv = xdg\n");
  root_.write("home/.gitconfig", "[a]\nv = home\n");
  root_.write("git/config", "[a]\nv = local\n");
  root_.write("git/config.worktree", "[a]\nv = worktree\n");
  environment_.set("GIT_CONFIG_COUNT", "1");
  environment_.set("GIT_CONFIG_KEY_0", "a.v");
  environment_.set("GIT_CONFIG_VALUE_0", "count");
  environment_.set("GIT_CONFIG_PARAMETERS", "'a.v'='parameters' 'A.V=old' 'a.flag'=");
  sources_.overrides = {parse_config_override("a.v=c=d"), parse_config_override("a.flag")};
  EXPECT_EQ(loaded(),
            "a.v=system|a.v=xdg|a.v=home|a.v=local|a.v=count|a.v=parameters|a.v=old|a.flag=|"
            "a.v=c=d|a.flag=|");
  sources_.worktree_config = true;
  EXPECT_NE(loaded().find("a.v=local|a.v=worktree|"), std::string::npos);
  const auto config = load();
  EXPECT_EQ(config->get("A.V"), "c=d");
  EXPECT_EQ(config->get_all("a.v").size(), 9U);
  EXPECT_EQ(*config->get_bool("a.flag"), true);
  EXPECT_EQ(config->entries()[0].scope, ConfigScope::kSystem);
  EXPECT_EQ(config->entries().back().scope, ConfigScope::kCommand);
}

TEST_F(GitConfigTest, EnvironmentMovesFiles) {
  root_.write("system", "[a]\nv = system\n");
  root_.write("home/.gitconfig", "[a]\nv = home\n");
  root_.write("xdg/git/config", "[a]\nv = xdg\n");
  root_.write("mine", "[a]\nv = mine\n");
  environment_.set("XDG_CONFIG_HOME", root_.path("xdg"));
  EXPECT_EQ(loaded(), "a.v=system|a.v=xdg|a.v=home|");
  environment_.set("GIT_CONFIG_NOSYSTEM", "1");
  EXPECT_EQ(loaded(), "a.v=xdg|a.v=home|");
  environment_.set("GIT_CONFIG_GLOBAL", root_.path("mine"));
  EXPECT_EQ(loaded(), "a.v=mine|");
  environment_.set("GIT_CONFIG_GLOBAL", "/dev/null");
  EXPECT_EQ(loaded(), "");
  environment_.set("GIT_CONFIG_NOSYSTEM", "perhaps");
  EXPECT_EQ(loaded(), "bad boolean environment value 'perhaps' for 'GIT_CONFIG_NOSYSTEM'");
}

TEST_F(GitConfigTest, FollowsIncludes) {
  root_.write("git/config", "[include]\npath = more\npath = gone\npath = ~/tilde\n[a]\nv = last\n");
  root_.write("git/more", "[a]\nv = more\n[include]\npath = sub/deeper\n");
  root_.write("git/sub/deeper", "[a]\nv = deeper\n");
  root_.write("home/tilde", "[a]\nv = tilde\n");
  const auto config = load();
  ASSERT_TRUE(config);
  EXPECT_EQ(config->get_all("a.v"), (std::vector<std::string>{"more", "deeper", "tilde", "last"}));
  sources_.overrides = {{"include.path", root_.path("git/sub/deeper")}};
  EXPECT_EQ(load()->get("a.v"), "deeper");
  // One file alone follows nothing.
  const auto alone = GitConfig::load_file(os::System::real(), environment_,
                                          root_.path("git/config"), ConfigScope::kLocal);
  EXPECT_EQ(alone->get_all("a.v"), (std::vector<std::string>{"last"}));
}

TEST_F(GitConfigTest, FollowsIncludesTenDeep) {
  const auto chain = [&](int depth) {
    root_.write("git/config", "[include]\npath = 1\n");
    for (int i = 1; i < depth; ++i) {
      root_.write("git/" + std::to_string(i), "[include]\npath = " + std::to_string(i + 1) + "\n");
    }
    root_.write("git/" + std::to_string(depth), "[a]\nv = x\n");
    return loaded();
  };
  EXPECT_NE(chain(10).find("a.v=x|"), std::string::npos);
  EXPECT_EQ(chain(11).substr(0, 35), "exceeded maximum include depth (10)");
}

TEST_F(GitConfigTest, IncludesByGitDirectory) {
  const auto included = [&](const std::string& condition) {
    root_.write("home/.gitconfig",
                "[includeIf \"" + condition + "\"]\npath = " + root_.path("more") + "\n");
    root_.write("more", "[a]\nv = x\n");
    return load()->get("a.v").has_value();
  };
  const std::string top = root_.path();
  EXPECT_TRUE(included("gitdir:" + top + "/git"));
  EXPECT_TRUE(included("gitdir:" + top + "/"));
  EXPECT_TRUE(included("gitdir:/tmp/**/git"));
  EXPECT_TRUE(included("gitdir:git"));
  EXPECT_TRUE(included("gitdir:g?[ti]"));
  EXPECT_TRUE(included("gitdir/i:GIT"));
  EXPECT_TRUE(included("gitdir:~/../git") == false);  // patterns are not normalised
  EXPECT_FALSE(included("gitdir:GIT"));
  EXPECT_FALSE(included("gitdir:" + top));
  EXPECT_FALSE(included("gitdir:/*/git"));
  EXPECT_FALSE(included("gitdir:git/"));
  EXPECT_FALSE(included("onbranch:**"));
  EXPECT_FALSE(included("hasconfig:remote.*.url:**"));
  EXPECT_FALSE(included("nonsense"));
}

TEST_F(GitConfigTest, IncludesRelativeToTheFile) {
  root_.write("git/config", "[includeIf \"gitdir:./\"]\npath = more\n");
  root_.write("git/more", "[a]\nv = x\n");
  EXPECT_FALSE(load()->get("a.v"));  // the git directory itself is not below itself
  sources_.git_dir = root_.path("git/worktrees/w");
  std::filesystem::create_directories(sources_.git_dir);
  EXPECT_TRUE(load()->get("a.v"));
}

TEST_F(GitConfigTest, SaysWhatGitDiesOf) {
  const std::string file = root_.path("git/config");
  root_.write("git/config", "[a]\nv = \"open\n");
  EXPECT_EQ(loaded(), "bad config line 2 in file " + file);
  root_.write("git/config", "[include]\npath = ~nobody-of-this-name/x\n");
  EXPECT_EQ(loaded(),
            "could not expand include path '~nobody-of-this-name/x'; "
            "bad config line 2 in file " +
                file);
  root_.write("git/config", "[include]\npath\n");
  EXPECT_EQ(loaded(), "missing value for 'include.path'; bad config line 2 in file " + file);
  root_.write("git/config", "[include]\npath = config\n");
  EXPECT_EQ(loaded(), "exceeded maximum include depth (10) while including\n\t" + file +
                          "\nfrom\n\t" + file + "\nThis might be due to circular includes.");
  root_.write("git/bad", "x y\n");
  root_.write("git/config", "[include]\npath = bad\n");
  EXPECT_EQ(loaded(), "bad config line 1 in file " + root_.path("git/bad"));
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_EQ(loaded(), "unable to access '" + file + "': Is a directory");
}

TEST_F(GitConfigTest, SaysWhatIsWrongWithTheCommandLine) {
  const auto with = [&](const std::string& argument) {
    sources_.overrides = {parse_config_override(argument)};
    return loaded();
  };
  const std::string dies = "; unable to parse command-line config";
  EXPECT_EQ(with("a.b"), "a.b=|");
  EXPECT_EQ(with(""), "empty config key" + dies);
  EXPECT_EQ(with("a"), "key does not contain a section: a" + dies);
  EXPECT_EQ(with("a.=x"), "key does not contain variable name: a." + dies);
  EXPECT_EQ(with("a.b_c=x"), "invalid key: a.b_c" + dies);
  EXPECT_EQ(with("include.path=x"), "relative config includes must come from files" + dies);
  sources_.overrides.clear();
  environment_.set("GIT_CONFIG_PARAMETERS", "a.b=x");
  EXPECT_EQ(loaded(), "bogus format in GIT_CONFIG_PARAMETERS" + dies);
  environment_.set("GIT_CONFIG_PARAMETERS", "'a.b'='it'\\''s'\\!'x'  'c.d=e'");
  EXPECT_EQ(loaded(), "a.b=it's!x|c.d=e|");
  environment_.unset("GIT_CONFIG_PARAMETERS");
  environment_.set("GIT_CONFIG_COUNT", "x");
  EXPECT_EQ(loaded(), "bogus count in GIT_CONFIG_COUNT" + dies);
  environment_.set("GIT_CONFIG_COUNT", "99999999999");
  EXPECT_EQ(loaded(), "too many entries in GIT_CONFIG_COUNT" + dies);
  environment_.set("GIT_CONFIG_COUNT", "1");
  EXPECT_EQ(loaded(), "missing config key GIT_CONFIG_KEY_0" + dies);
  environment_.set("GIT_CONFIG_KEY_0", "a.b");
  EXPECT_EQ(loaded(), "missing config value GIT_CONFIG_VALUE_0" + dies);
}

TEST_F(GitConfigTest, TypedValues) {
  root_.write(
      "git/config",
      "[a]\nyes\nno = off\nnumber = 8k\nbad = x\npath = ~/p\nhuge = 99999999999999999999\n");
  const auto config = load();
  ASSERT_TRUE(config);
  EXPECT_EQ(*config->get_bool("a.yes"), true);
  EXPECT_EQ(*config->get_bool("a.no"), false);
  EXPECT_EQ(*config->get_bool("a.none"), std::nullopt);
  EXPECT_EQ(config->get_bool("a.bad").error().text, "bad boolean config value 'x' for 'a.bad'");
  EXPECT_EQ(*config->get_int("a.number"), 8192);
  EXPECT_EQ(*config->get_int("a.none"), std::nullopt);
  EXPECT_EQ(config->get_int("a.bad").error().text,
            "bad numeric config value 'x' for 'a.bad' in file " + root_.path("git/config") +
                ": invalid unit");
  EXPECT_EQ(config->get_int("a.huge").error().text.substr(0, 50),
            "bad numeric config value '99999999999999999999' fo");
  EXPECT_EQ(config->get_path("a.path"), root_.path("home") + "/p");
  EXPECT_EQ(config->get("a.none"), std::nullopt);
  EXPECT_EQ(config->get("nonsense"), std::nullopt);
}

TEST_F(GitConfigTest, SectionsAndPromisorRemotes) {
  root_.write(
      "git/config",
      "[fsck]\nbadDate = warn\nskipList = f\n[fsck \"sub\"]\nx = y\n"
      "[remote \"one\"]\npromisor = true\n[remote \"two\"]\npromisor = false\n"
      "[remote \"three\"]\npartialCloneFilter = blob:none\n[remote \"one\"]\npromisor = 0\n");
  const auto config = load();
  const auto section = config->section("fsck");
  ASSERT_EQ(section.size(), 2U);
  EXPECT_EQ(section[0].key, "baddate");
  EXPECT_EQ(section[0].value, "warn");
  EXPECT_EQ(section[1].key, "skiplist");
  EXPECT_EQ(*config->promisor_remotes(), (std::vector<std::string>{"one", "three"}));
  root_.write("git/config", "[remote \"one\"]\npromisor = maybe\n");
  EXPECT_EQ(load()->promisor_remotes().error().text,
            "bad boolean config value 'maybe' for 'remote.one.promisor'");
}

TEST_F(GitConfigTest, BoundsSizes) {
  sources_.max_file_size = 100;
  root_.write("git/config", "[a]\nv = " + std::string(200, 'x') + "\n");
  EXPECT_NE(loaded().find("File too large"), std::string::npos);
  // Few bytes that include much: 30 x 30 x 83 bytes.
  std::string includes = "[include]\n";
  for (int i = 0; i < 30; ++i) includes += "path=b\n";
  sources_.max_file_size = 1000;
  root_.write("git/config", includes);
  includes = "[include]\n";
  for (int i = 0; i < 30; ++i) includes += "path=c\n";
  root_.write("git/b", includes);
  root_.write("git/c", "# " + std::string(80, 'x') + "\n");
  EXPECT_NE(loaded().find("too much configuration"), std::string::npos);
}

TEST_F(GitConfigTest, ReportsReadErrors) {
  root_.write("git/config", "[a]\nv = x\n");
  testing::FailingSystem system;
  system.fail_all("read", EIO);
  const auto config = GitConfig::load(system, environment_, sources_);
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().text.find("Input/output error"), std::string::npos);
}

}  // namespace
}  // namespace assay
