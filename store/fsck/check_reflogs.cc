#include "store/fsck/check_reflogs.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "store/fsck/fault_reporter.h"
#include "store/fsck/phases.h"
#include "store/os/follow_file.h"
#include "store/refs/ref_name.h"
#include "store/refs/reflog.h"

namespace assay {
namespace {

constexpr std::size_t kWindowSize = std::size_t{4} << 20;  // bytes read at once
constexpr std::size_t kMaxLineSize = 4 * kWindowSize;      // bytes kept of one line

class ReflogChecker {
 public:
  ReflogChecker(const Repository& repository, const ReflogCheckOptions& options,
                const ObjectView& objects, const Policy& policy, RootSink& roots,
                FindingSink& findings)
      : repository_(repository),
        system_(repository.system()),
        options_(options),
        objects_(objects),
        roots_(roots),
        reporter_(policy, findings, kPhaseReflogs) {}

  void check_worktree(const Worktree& worktree);
  // The same of a repository whose logs are stored in reftables. What is wrong with the tables is
  // for check_ref_format to say.
  void check_tables(const Worktree& worktree);

 private:
  // Names of all logs below `directory`, relative to it, sorted.
  std::vector<std::string> list(const std::string& directory);
  void check_log(const std::string& path, const std::string& ref);
  void check_entries(ByteView lines, const std::string& ref);
  void note(const ReflogEntry& entry);
  void check_id(const ObjectId& id, const std::string& ref, std::uint64_t timestamp);

  const Repository& repository_;
  os::System& system_;
  const ReflogCheckOptions& options_;
  const ObjectView& objects_;
  RootSink& roots_;
  FaultReporter reporter_;
  std::uint64_t lines_ = 0;  // of the log being read, before the window
  std::uint64_t bad_lines_ = 0;
  std::uint64_t first_bad_line_ = 0;
};

void ReflogChecker::check_worktree(const Worktree& worktree) {
  const std::string directory = worktree.git_dir + "/logs";
  for (const std::string& name : list(directory)) {
    const std::string ref = is_per_worktree_ref(name) ? worktree.ref_name(name) : name;
    check_log(directory + "/" + name, ref);
  }
}

void ReflogChecker::check_tables(const Worktree& worktree) {
  const std::string directory = worktree.git_dir + "/reftable";
  const ReftableStack stack = ReftableStack::read(
      system_, directory, repository_.shown_path(directory), worktree.id, repository_.hash_kind());
  stack.for_each_log([&](const ReftableLog& log, const ReftableStack::Table& table) {
    if (log.seconds > options_.now) return;
    reporter_.enter_file(table.shown);
    const std::string ref =
        is_per_worktree_ref(log.name) ? worktree.ref_name(log.name) : std::string(log.name);
    check_id(log.old_id, ref, 0);
    check_id(log.new_id, ref, log.seconds);
  });
}

std::vector<std::string> ReflogChecker::list(const std::string& directory) {
  std::vector<std::string> names;
  std::vector<std::string> prefixes = {""};
  while (!prefixes.empty()) {
    const std::string prefix = std::move(prefixes.back());
    prefixes.pop_back();
    const std::string path = prefix.empty() ? directory : directory + "/" + prefix;
    const auto listed = system_.list(os::kCurrentDirectory, path);
    if (!listed) {
      if (os::is_missing(listed.error())) continue;
      reporter_.enter_file(repository_.shown_path(path));
      reporter_.report(MessageId::kReflogUnreadable,
                       fmt::format("cannot open directory {}: {}", repository_.shown_path(path),
                                   listed.error().text()));
      continue;
    }
    for (const os::DirectoryEntry& entry : *listed) {
      const std::string name = prefix + entry.name;
      if (name.size() > kMaxRefNameSize) continue;
      os::FileKind kind = entry.kind;
      if (!entry.kind_known) {
        const auto status = system_.status_at(os::kCurrentDirectory, directory + "/" + name, false);
        if (status) kind = status->kind;
      }
      if (kind == os::FileKind::kDirectory) {
        prefixes.push_back(name + "/");
      } else if (kind == os::FileKind::kRegular && is_valid_ref_name(entry.name, true)) {
        names.push_back(name);
      }
    }
  }
  // As git lists them: folder by folder, so "a/b" comes before "a-b".
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](char left, char right) {
          const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
          return rank(left) < rank(right);
        });
  });
  return names;
}

void ReflogChecker::check_log(const std::string& path, const std::string& ref) {
  reporter_.enter_file(repository_.shown_path(path));
  const auto unreadable = [&](const os::Error& error) {
    if (os::is_missing(error)) return;  // expired while we looked
    reporter_.report(
        MessageId::kReflogUnreadable,
        fmt::format("{}: cannot read {}: {}", ref, repository_.shown_path(path), error.text()),
        ref);
  };
  auto fd =
      system_.open(os::kCurrentDirectory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!fd) return unreadable(fd.error());
  lines_ = bad_lines_ = first_bad_line_ = 0;
  Bytes window;
  std::size_t filled = 0;  // no line ends in these bytes
  for (;;) {
    // A line that is longer than the window makes it grow, but of one that has no end in sight
    // only the beginning is kept: that holds all but the message.
    if (filled == kMaxLineSize) filled = kMaxLineSize / 2;
    if (filled == window.size()) window.resize(filled + kWindowSize);
    const auto got = system_.read(fd->get(), window.data() + filled, window.size() - filled);
    if (!got) return unreadable(got.error());
    const std::size_t end = filled + *got;
    if (*got == 0) {
      check_entries(ByteView(window.data(), end), ref);
      break;
    }
    const auto last_lf = as_text(ByteView(window.data() + filled, *got)).rfind('\n');
    if (last_lf == std::string_view::npos) {
      filled = end;
      continue;
    }
    const std::size_t whole = filled + last_lf + 1;
    check_entries(ByteView(window.data(), whole), ref);
    std::copy(window.begin() + static_cast<std::ptrdiff_t>(whole),
              window.begin() + static_cast<std::ptrdiff_t>(end), window.begin());
    filled = end - whole;
  }
  if (bad_lines_ > 0) {
    reporter_.report(MessageId::kReflogLineBad,
                     fmt::format("{}: {} line{} of the reflog cannot be read, first line {}", ref,
                                 bad_lines_, bad_lines_ == 1 ? "" : "s", first_bad_line_),
                     ref);
  }
}

void ReflogChecker::check_entries(ByteView lines, const std::string& ref) {
  if (lines.empty()) return;
  const Reflog log = parse_reflog(lines, repository_.hash_kind());
  if (bad_lines_ == 0 && !log.bad_lines.empty()) first_bad_line_ = lines_ + log.bad_lines.front();
  bad_lines_ += log.bad_line_count;
  lines_ += log.entries.size() + log.bad_line_count;
  for (const ReflogEntry& entry : log.entries) {
    if (entry.timestamp > options_.now) continue;
    note(entry);
    check_id(entry.old_id, ref, 0);
    check_id(entry.new_id, ref, entry.timestamp);
  }
}

void ReflogChecker::note(const ReflogEntry& entry) {
  if (!options_.note) return;
  options_.note(fmt::format("Checking reflog {}->{}", entry.old_id.hex(), entry.new_id.hex()));
}

void ReflogChecker::check_id(const ObjectId& id, const std::string& ref, std::uint64_t timestamp) {
  if (id.is_null()) return;
  if (objects_.is_known(id)) {
    roots_.add_root(id, ObjectType::kUnknown,
                    timestamp == 0 ? "" : fmt::format("{}@{{{}}}", ref, timestamp));
  } else if (!objects_.is_promised(id)) {
    Finding found = reporter_.finding(MessageId::kInvalidReflogEntry,
                                      fmt::format("{}: invalid reflog entry {}", ref, id.hex()));
    found.ref = ref;
    found.oid = id;
    reporter_.report(std::move(found));
  }
}

}  // namespace

void check_reflogs(const Repository& repository, const ReflogCheckOptions& options,
                   const ObjectView& objects, const Policy& policy, RootSink& roots,
                   FindingSink& findings) {
  ReflogChecker checker(repository, options, objects, policy, roots, findings);
  // The logs of the main worktree lie beside the shared ones, in the common directory.
  for (const Worktree& worktree : repository.worktrees().worktrees) {
    if (repository.format().ref_storage == RefStorage::kReftable) {
      checker.check_tables(worktree);
    } else {
      checker.check_worktree(worktree);
    }
  }
}

}  // namespace assay
