// A repository made by hand, without git: HEAD, objects/, refs/, and what a test adds.
#pragma once

#include <filesystem>
#include <string>

#include "store/repository/repository.h"
#include "tests/support/temporary_directory.h"

namespace assay::testing {

class RepositoryFiles {
 public:
  // The repository is `name`/.git below the temporary directory.
  explicit RepositoryFiles(const std::string& name = "top") : name_(name) {
    make_git_directory(name_ + "/.git");
  }

  const TemporaryDirectory& root() const { return root_; }
  std::string path(const std::string& name) const { return root_.path(name); }
  std::string top() const { return root_.path(name_); }
  std::string git_dir() const { return root_.path(name_ + "/.git"); }

  // Writes a file below .git.
  void write(const std::string& name, std::string_view content) const {
    root_.write(name_ + "/.git/" + name, content);
  }
  void make_git_directory(const std::string& name) const {
    std::filesystem::create_directories(root_.path(name + "/objects"));
    std::filesystem::create_directories(root_.path(name + "/refs"));
    root_.write(name + "/HEAD", "ref: refs/heads/main\n");
  }
  // A linked worktree as git worktree add makes it.
  void add_worktree(const std::string& id) const {
    root_.write("work-" + id + "/.git", "gitdir: " + git_dir() + "/worktrees/" + id + "\n");
    write("worktrees/" + id + "/HEAD", "ref: refs/heads/" + id + "\n");
    write("worktrees/" + id + "/commondir", "../..\n");
    write("worktrees/" + id + "/gitdir", root_.path("work-" + id) + "/.git\n");
  }

  // Options that see nothing of the machine's own configuration.
  OpenOptions options(const std::string& directory) const {
    OpenOptions options;
    options.directory = directory;
    options.environment = Environment();
    options.environment.set("GIT_CONFIG_NOSYSTEM", "1");
    options.environment.set("GIT_CEILING_DIRECTORIES", root_.path());
    return options;
  }
  OpenOptions options() const { return options(top()); }
  Result<Repository> open() const { return Repository::open(os::System::real(), options()); }

 private:
  TemporaryDirectory root_;
  std::string name_;
};

}  // namespace assay::testing
