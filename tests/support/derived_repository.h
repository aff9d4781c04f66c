// A small repository made by the installed git, with the files that git derives from packs and
// commits; and the checks of these files run on it, again and again, over storage verified once.
//
// Eleven commits: a line of history, three branches merged by one octopus merge, a tag.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/fsck/check_crossrefs.h"
#include "store/fsck/link_ledger.h"
#include "store/fsck/storage.h"
#include "store/object/object_hash.h"
#include "store/report/exit_status.h"
#include "tests/support/findings_text.h"
#include "tests/support/installed_git.h"
#include "tests/support/temporary_directory.h"

namespace assay::testing {

class DerivedRepository {
 public:
  using Commands = std::vector<std::vector<std::string>>;

  // `commands`: what git is to do; "+N" instead of a command imports N commits on top.
  explicit DerivedRepository(const Commands& commands, HashKind kind = HashKind::kSha1)
      : kind_(kind) {
    git({"init", "-q", "--bare", "--object-format=" + std::string(hash_name(kind)), "-b", "main",
         "."});
    git({"fast-import", "--quiet"}, history());
    for (const std::vector<std::string>& command : commands) {
      if (command[0][0] == '+') {
        git({"fast-import", "--quiet"}, more_commits(std::stoi(command[0].substr(1))));
      } else {
        git(command);
      }
    }
    for (const std::string& name : files()) {
      std::filesystem::permissions(root_.path(name), std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add);
    }
  }

  std::string git(const std::vector<std::string>& arguments, std::string_view input = "") const {
    return run_git(root_.path(), arguments, input);
  }
  HashKind kind() const { return kind_; }
  std::string path(std::string_view name) const { return root_.path(name); }
  std::string read(const std::string& name) const { return root_.read(name); }
  void write(const std::string& name, std::string_view content) const {
    root_.write(name, content);
  }
  void remove(const std::string& name) const { std::filesystem::remove(root_.path(name)); }

  // All files below objects/, sorted; those whose path holds `part`.
  std::vector<std::string> files(std::string_view part = "") const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_.path("objects"))) {
      if (!entry.is_regular_file()) continue;
      std::string name = entry.path().string().substr(root_.path().size() + 1);
      if (name.find(part) != std::string::npos) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string file(std::string_view part) const {
    const std::vector<std::string> names = files(part);
    EXPECT_EQ(names.size(), 1U) << part;
    return names.empty() ? std::string() : names[0];
  }

  // Verifies all objects, comparing commits with the commit-graphs as they are now, and checks the
  // derived files.
  FindingList check(const std::vector<ConfigOverride>& overrides = {}) {
    FindingList findings;
    const auto repository = open(overrides);
    if (!repository) {
      ADD_FAILURE() << repository.error().text;
      return findings;
    }
    verify_once(*repository);
    CommitGraphs graphs = load_commit_graphs(*repository, directories_);
    graphs.number(storage_->table());
    check_crossrefs(*repository, *storage_, *ledger_, graphs, options_, findings);
    return findings;
  }

  // As check(), but every commit is compared as it is verified, as in a run of fsck.
  FindingList check_all() {
    FindingList findings;
    const auto repository = open({});
    if (!repository) {
      ADD_FAILURE() << repository.error().text;
      return findings;
    }
    directories_ = {{root_.path("objects"), "objects"}};
    CommitGraphs graphs = load_commit_graphs(*repository, directories_);
    load(*repository, findings);
    graphs.number(storage_->table());
    options_.verify.commit_graphs = &graphs;
    StorageCheckResult result;
    check_storage(*storage_, {}, *ledger_, options_, result);
    options_.verify.commit_graphs = nullptr;
    check_crossrefs(*repository, *storage_, *ledger_, graphs, options_, findings);
    return findings;
  }

  // From now on, bitmaps are compared with what commits reach.
  void check_bitmaps_fully() { options_.full_bitmaps = true; }

  const Storage& storage() const { return *storage_; }

  // Returns: the text with the checksum at its end made right.
  std::string sealed(std::string text) const {
    const std::size_t size = id_size(kind_);
    ObjectHasher hasher(kind_, false);
    hasher.update(as_bytes(std::string_view(text).substr(0, text.size() - size)));
    const ObjectName name = hasher.finish();
    text.replace(text.size() - size, size, as_text(name.id.bytes()));
    return text;
  }

 private:
  Result<Repository> open(const std::vector<ConfigOverride>& overrides) const {
    OpenOptions options;
    options.directory = root_.path();
    options.overrides = overrides;
    options.environment = Environment();
    options.environment.set("GIT_CONFIG_NOSYSTEM", "1");
    options.environment.set("GIT_CEILING_DIRECTORIES", root_.path());
    return Repository::open(os::System::real(), options);
  }

  void load(const Repository&, FindingList& problems) {
    Storage::Options options;
    options.kind = kind_;
    directories_ = {{root_.path("objects"), "objects"}};
    storage_ = Storage::load(os::System::real(), directories_, options, policy_, problems);
    ledger_ = std::make_unique<LinkLedger>(storage_->table());
    options_.verify.policy = &policy_;
    options_.verify.parents = &parents_;
    options_.verify.files = &storage_->files();
  }

  void verify_once(const Repository& repository) {
    if (storage_ != nullptr) return;
    FindingList problems;
    load(repository, problems);
    StorageCheckResult result;
    check_storage(*storage_, {}, *ledger_, options_, result);
  }

  static std::string commit(const std::string& branch, int number, const std::string& links) {
    const std::string name = std::to_string(number);
    return "commit refs/heads/" + branch + "\nmark :" + name + "\ncommitter A <a@example.com> " +
           std::to_string(1112911993 + 60 * number) + " +0000\ndata 2\nc" + name.substr(0, 1) +
           "\n" + links + "M 644 inline d" + name + "/f\ndata " + std::to_string(name.size() + 1) +
           "\n" + name + "\n\n";
  }
  static std::string history() {
    std::string text = commit("main", 1, "") + commit("main", 2, "");
    text += commit("x", 3, "from :2\n") + commit("y", 4, "from :2\n") + commit("z", 5, "from :2\n");
    text += commit("main", 6, "from :2\nmerge :3\nmerge :4\nmerge :5\n");
    text += "tag t1\nfrom :6\ntagger A <a@example.com> 1112911993 +0000\ndata 2\nt\n";
    return text;
  }
  std::string more_commits(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += commit("main", 10 + imported_, i == 0 ? "from refs/heads/main^0\n" : "");
      ++imported_;
    }
    return text;
  }

  TemporaryDirectory root_;
  HashKind kind_;
  int imported_ = 0;
  Policy policy_;
  CommitParents parents_;
  StorageCheckOptions options_;
  std::vector<ObjectSource> directories_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<LinkLedger> ledger_;
};

}  // namespace assay::testing
