#include "store/fsck/check_ref_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/base/ascii.h"
#include "store/fsck/check_packed_refs.h"
#include "store/fsck/fault_reporter.h"
#include "store/fsck/phases.h"
#include "store/os/follow_file.h"
#include "store/refs/ref_file.h"
#include "store/refs/ref_name.h"

namespace assay {
namespace {

class RefFormatChecker {
 public:
  RefFormatChecker(const Repository& repository, const Policy& policy, FindingSink& findings,
                   const Note& note)
      : repository_(repository),
        system_(repository.system()),
        policy_(policy),
        reporter_(policy, findings, kPhaseRefFormat),
        note_(note) {}

  void check_worktree(const Worktree& worktree);
  // The same of a repository whose refs are stored in reftables.
  void check_tables(const Worktree& worktree);

 private:
  struct File {
    std::string path;  // below the directory of refs
    os::FileKind kind = os::FileKind::kOther;
  };

  std::vector<File> list(const std::string& directory, bool is_main);
  void check_root_refs(const Worktree& worktree, const std::string& prefix);
  void check_file(const std::string& name, const std::string& path, os::FileKind kind);
  void check_content(const std::string& name, const std::string& path);
  void check_link(const std::string& name, const std::string& path);
  void check_text_target(const std::string& name, std::string_view target);
  void check_target(const std::string& name, std::string_view target);

  // Returns: true if the fault counts as an error, after which git looks no further.
  bool report(const std::string& name, MessageId id, std::string text) {
    reporter_.report(id, std::move(text), name);
    return policy_.severity(id) >= Severity::kError;
  }
  void say(const std::string& line) {
    if (note_) note_(line);
  }
  void unreadable(std::string text) {
    reporter_.report(MessageId::kRefUnreadable, std::move(text));
  }

  const Repository& repository_;
  os::System& system_;
  const Policy& policy_;
  FaultReporter reporter_;
  const Note& note_;
};

void RefFormatChecker::check_worktree(const Worktree& worktree) {
  say("Checking references consistency");
  const std::string prefix = worktree.id.empty() ? "" : fmt::format("worktrees/{}/", worktree.id);
  const std::string directory = worktree.git_dir + "/refs";
  for (const File& file : list(directory, worktree.id.empty())) {
    check_file(fmt::format("{}refs/{}", prefix, file.path), directory + "/" + file.path, file.kind);
  }
  check_root_refs(worktree, prefix);
  if (worktree.id.empty()) {
    const std::string path = repository_.common_dir() + "/packed-refs";
    say("Checking packed-refs file " + repository_.shown_path(path));
    reporter_.enter_file(repository_.shown_path(path));
    check_packed_refs(system_, path, repository_.shown_path(path), repository_.hash_kind(), policy_,
                      reporter_);
  }
}

void RefFormatChecker::check_tables(const Worktree& worktree) {
  const std::string prefix = worktree.id.empty() ? "" : fmt::format("worktrees/{}/", worktree.id);
  const std::string directory = worktree.git_dir + "/reftable";
  const auto status = system_.status_at(os::kCurrentDirectory, directory, true);
  if (!status && os::is_missing(status.error()) && !worktree.id.empty()) return;
  const ReftableStack stack = ReftableStack::read(
      system_, directory, repository_.shown_path(directory), worktree.id, repository_.hash_kind());
  for (const ReftableStack::Table& table : stack.tables()) {
    say("Checking table: " + table.name);
    reporter_.enter_file(table.shown);
    if (!is_valid_reftable_name(table.name)) {
      report(table.name, MessageId::kBadReftableTableName, "invalid reftable table name");
    }
  }
  for (const ReftableStack::Problem& problem : stack.problems()) {
    reporter_.enter_file(problem.file);
    reporter_.report(problem.fault);
  }
  for (const auto& [name, found] : stack.refs()) {
    reporter_.enter_file(found.table->shown);
    const std::string shown_name = prefix + std::string(name);
    if (!is_root_ref_name(name) && !is_valid_ref_name(name)) {
      report(shown_name, MessageId::kBadRefName, "invalid refname format");
    }
    if (found.ref->kind == ReftableRef::Kind::kSymref) {
      check_target(shown_name, found.ref->target);
    } else if (found.ref->id.is_null()) {
      report(shown_name, MessageId::kBadRefOid,
             fmt::format("points to invalid object ID '{}'", found.ref->id.hex()));
    }
  }
}

std::vector<RefFormatChecker::File> RefFormatChecker::list(const std::string& directory,
                                                           bool is_main) {
  std::vector<File> files;
  std::vector<std::string> prefixes = {""};
  while (!prefixes.empty()) {
    const std::string prefix = std::move(prefixes.back());
    prefixes.pop_back();
    const std::string path = prefix.empty() ? directory : directory + "/" + prefix;
    const auto listed = system_.list(os::kCurrentDirectory, path);
    if (!listed) {
      // Refs come and go; only the main worktree must have the directory.
      if (os::is_missing(listed.error()) && !(prefix.empty() && is_main)) continue;
      unreadable(fmt::format("cannot open directory {}: {}", repository_.shown_path(path),
                             listed.error().text()));
      continue;
    }
    for (const os::DirectoryEntry& entry : *listed) {
      File file{prefix + entry.name, entry.kind};
      if (file.path.size() > kMaxRefNameSize) continue;
      if (!entry.kind_known) {
        const auto status =
            system_.status_at(os::kCurrentDirectory, directory + "/" + file.path, false);
        if (!status) continue;
        file.kind = status->kind;
      }
      if (file.kind == os::FileKind::kDirectory) {
        prefixes.push_back(file.path + "/");
      } else if (entry.name.starts_with('.') || !entry.name.ends_with(".lock")) {
        files.push_back(std::move(file));
      }
    }
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

void RefFormatChecker::check_root_refs(const Worktree& worktree, const std::string& prefix) {
  const auto listed = system_.list(os::kCurrentDirectory, worktree.git_dir);
  if (!listed) return;
  std::vector<std::string> names;
  for (const os::DirectoryEntry& entry : *listed) {
    if (is_root_ref_name(entry.name)) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string path = worktree.git_dir + "/" + name;
    // A symbolic link is followed here, unlike below refs/.
    const auto status = system_.status_at(os::kCurrentDirectory, path, true);
    if (status && status->kind == os::FileKind::kRegular) {
      check_file(prefix + name, path, os::FileKind::kRegular);
    }
  }
}

void RefFormatChecker::check_file(const std::string& name, const std::string& path,
                                  os::FileKind kind) {
  say("Checking " + name);
  reporter_.enter_file(repository_.shown_path(path));
  if (kind != os::FileKind::kRegular && kind != os::FileKind::kSymlink) {
    report(name, MessageId::kBadRefFiletype, "unexpected file type");
    return;
  }
  if (!is_root_ref_name(name) && !is_valid_ref_name(name)) {
    report(name, MessageId::kBadRefName, "invalid refname format");
  }
  if (kind == os::FileKind::kSymlink) {
    check_link(name, path);
  } else {
    check_content(name, path);
  }
}

void RefFormatChecker::check_link(const std::string& name, const std::string& path) {
  report(name, MessageId::kSymlinkRef, "use deprecated symbolic link for symref");
  const auto real = os::real_path(system_, path, 1);
  const auto git_dir = os::absolute_path(system_, repository_.git_dir());
  if (!real || !git_dir) {
    unreadable(fmt::format("cannot read ref file '{}': {}", repository_.shown_path(path),
                           real ? git_dir.error().text() : real.error().text()));
    return;
  }
  std::string top = os::real_path(system_, *git_dir).value_or(*git_dir);
  if (!top.ends_with('/')) top += '/';
  std::string_view target = *real;
  if (target.starts_with(top)) target.remove_prefix(top.size());
  check_target(name, target);
}

void RefFormatChecker::check_content(const std::string& name, const std::string& path) {
  const auto bytes = os::read_followed_file(system_, path, kMaxRefFileSize);
  if (!bytes) {
    if (os::is_missing(bytes.error())) return;  // deleted since it was listed
    unreadable(fmt::format("cannot read ref file '{}': {}", repository_.shown_path(path),
                           bytes.error().text()));
    return;
  }
  const auto file = parse_ref_file(*bytes, repository_.hash_kind());
  if (!file) {
    const std::string_view text = as_text(*bytes).substr(0, as_text(*bytes).find('\0'));
    report(name, MessageId::kBadRefContent, std::string(without_trailing_blanks(text)));
    return;
  }
  if (file->is_symref) {
    check_text_target(name, file->raw_target);
  } else if (file->trailing.empty()) {
    report(name, MessageId::kRefMissingNewline, "misses LF at the end");
  } else if (file->trailing != "\n") {
    report(name, MessageId::kTrailingRefContent,
           fmt::format("has trailing garbage: '{}'", file->trailing));
  } else if (file->id.is_null()) {
    report(name, MessageId::kBadRefOid,
           fmt::format("points to invalid object ID '{}'", file->id.hex()));
  }
}

void RefFormatChecker::check_text_target(const std::string& name, std::string_view target) {
  const std::string_view trimmed = without_trailing_blanks(target);
  const std::size_t blanks = target.size() - trimmed.size();
  if (!target.ends_with('\n')) {
    report(name, MessageId::kRefMissingNewline, "misses LF at the end");
  }
  if (blanks > 1) {
    report(name, MessageId::kTrailingRefContent, "has trailing whitespaces or newlines");
  }
  check_target(name, trimmed);
}

void RefFormatChecker::check_target(const std::string& name, std::string_view target) {
  if (split_worktree_ref(name).name == "HEAD" && !target.starts_with("refs/heads/") &&
      report(name, MessageId::kBadHeadTarget,
             fmt::format("HEAD points to non-branch '{}'", target))) {
    return;
  }
  if (is_root_ref_name(target)) return;
  if (!is_valid_ref_name(target) && report(name, MessageId::kBadReferentName,
                                           fmt::format("points to invalid refname '{}'", target))) {
    return;
  }
  if (!target.starts_with("refs/") && !target.starts_with("worktrees/")) {
    report(name, MessageId::kSymrefTargetIsNotARef,
           fmt::format("points to non-ref target '{}'", target));
  }
}

}  // namespace

void check_ref_format(const Repository& repository, const Policy& policy, FindingSink& findings,
                      const Note& note) {
  RefFormatChecker checker(repository, policy, findings, note);
  for (const Worktree& worktree : repository.worktrees().worktrees) {
    if (repository.format().ref_storage == RefStorage::kReftable) {
      checker.check_tables(worktree);
    } else {
      checker.check_worktree(worktree);
    }
  }
}

}  // namespace assay
