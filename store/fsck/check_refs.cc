#include "store/fsck/check_refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "store/fsck/fault_reporter.h"
#include "store/fsck/phases.h"
#include "store/os/follow_file.h"
#include "store/refs/ref_name.h"
#include "store/refs/reflog.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxHintLogSize = std::uint64_t{16} << 20;  // bytes; no hint beyond

class RefChecker {
 public:
  RefChecker(const ObjectView& objects, const Policy& policy, RootSink& roots,
             FindingSink& findings)
      : objects_(objects), roots_(roots), reporter_(policy, findings, kPhaseRefs) {}

  FaultReporter& reporter() { return reporter_; }
  std::size_t usable() const { return usable_; }

  // What the name points to must be there, and a commit if the name is a branch.
  // Returns: false if it is not there.
  bool check(const std::string& name, const ObjectId& id) {
    const auto type = objects_.type_of(id);
    if (!type) {
      if (objects_.is_promised(id) || objects_.is_listed_elsewhere(id)) {
        ++usable_;
        return true;
      }
      Finding found = reporter_.finding(MessageId::kInvalidRefPointer,
                                        fmt::format("{}: invalid sha1 pointer {}", name, id.hex()));
      found.ref = name;
      found.oid = id;
      if (objects_.is_unreadable(id)) found.bit = ExitBit::kBitDies;
      const std::string problem = objects_.parse_problem(id);
      if (!problem.empty()) found.causes.push_back(problem);
      reporter_.report(std::move(found));
      return false;
    }
    // HEAD of the current worktree counts as a branch, those of the others do not.
    const bool is_branch = name == "HEAD" || name.starts_with("refs/heads/");
    if (*type != ObjectType::kCommit && is_branch) {
      Finding found =
          reporter_.finding(MessageId::kRefNotACommit, fmt::format("{}: not a commit", name));
      found.ref = name;
      found.oid = id;
      found.type = *type;
      reporter_.report(std::move(found));
    }
    ++usable_;
    roots_.add_root(id, ObjectType::kUnknown, name);
    return true;
  }

  // git says no more of a broken ref than that it points to the null id; what is in the file is
  // said beside it.
  void explain(const Ref& ref, MessageId id) {
    reporter_.report(id, fmt::format("{}: {}", ref.name, ref.broken->text), ref.name);
  }

 private:
  const ObjectView& objects_;
  RootSink& roots_;
  FaultReporter reporter_;
  std::size_t usable_ = 0;
};

// What the last sound line of the ref's log says it pointed to: where a ref lost in a crash can be
// taken up again.
std::optional<ObjectId> last_logged_value(const Repository& repository, const std::string& name) {
  const WorktreeRefName split = split_worktree_ref(name);
  std::string directory = repository.common_dir();
  if (split.place == WorktreeRefPlace::kCurrentWorktree) {
    directory = repository.git_dir();
  } else if (split.place == WorktreeRefPlace::kOtherWorktree) {
    directory += fmt::format("/worktrees/{}", split.worktree);
  }
  const auto bytes = os::read_followed_file(
      repository.system(), fmt::format("{}/logs/{}", directory, split.name), kMaxHintLogSize);
  if (!bytes) return std::nullopt;
  const Reflog log = parse_reflog(*bytes, repository.hash_kind());
  if (log.entries.empty() || log.entries.back().new_id.is_null()) return std::nullopt;
  return log.entries.back().new_id;
}

}  // namespace

RefSnapshot snapshot_refs(const Repository& repository) {
  const RefStore store = repository.refs();
  RefSnapshot snapshot;
  if (store.packed_refs_fault()) snapshot.problems.push_back(*store.packed_refs_fault());
  for (const Fault& fault : store.problems()) snapshot.problems.push_back(fault);
  WorktreeList list = repository.worktrees();
  for (const Fault& fault : list.problems) snapshot.problems.push_back(fault);
  for (const Worktree& worktree : list.worktrees) {
    auto head = store.find(worktree.ref_name("HEAD"));
    if (head) snapshot.heads.push_back(std::move(*head));
    if (worktree.is_current) continue;
    std::vector<Ref> refs = store.private_refs(worktree.ref_name(""));
    std::move(refs.begin(), refs.end(), std::back_inserter(snapshot.private_refs));
  }
  snapshot.refs = store.refs();
  snapshot.packed = store.packed_refs();
  snapshot.shown_packed = repository.shown_path(repository.common_dir() + "/packed-refs");
  for (std::vector<Ref>* refs : {&snapshot.refs, &snapshot.heads, &snapshot.private_refs}) {
    for (Ref& ref : *refs) {
      ref.file = repository.shown_path(ref.file);
      if (!ref.broken || !ref.symref_target.empty()) continue;
      if (const auto id = last_logged_value(repository, ref.name)) {
        ref.broken->text += fmt::format("; the last value in its reflog is {}", id->hex());
      }
    }
  }
  return snapshot;
}

std::size_t check_refs(const RefSnapshot& snapshot, const ObjectView& objects, const Policy& policy,
                       RootSink& roots, FindingSink& findings) {
  RefChecker checker(objects, policy, roots, findings);
  for (const Ref& ref : snapshot.refs) {
    checker.reporter().enter_file(ref.file);
    checker.check(ref.name, ref.id);
    if (ref.broken) checker.explain(ref, MessageId::kRefBroken);
  }
  for (const Ref& head : snapshot.heads) {
    checker.reporter().enter_file(head.file);
    if (!head.broken) {
      // As git, which takes a HEAD of null for an unborn branch.
      if (!head.id.is_null()) checker.check(head.name, head.id);
    } else if (head.symref_target.empty()) {
      checker.explain(head, MessageId::kRefUnreadable);
    } else if (!head.dangling) {
      checker.explain(head, MessageId::kRefBroken);
    }
  }
  const std::size_t usable = checker.usable();
  for (const Ref& ref : snapshot.private_refs) {
    checker.reporter().enter_file(ref.file);
    // What is broken here is not broken for git; it is explained, and no more.
    if (ref.broken) {
      checker.explain(ref, MessageId::kRefBroken);
    } else {
      checker.check(ref.name, ref.id);
    }
  }
  // For git they are no refs from which something could be reached.
  return usable;
}

std::size_t check_given_roots(const std::vector<std::pair<std::string, ObjectId>>& arguments,
                              const ObjectView& objects, const Policy& policy, RootSink& roots,
                              FindingSink& findings) {
  RefChecker checker(objects, policy, roots, findings);
  for (const auto& [name, id] : arguments) checker.check(name, id);
  return checker.usable();
}

void report_no_default_references(const Policy& policy, FindingSink& findings) {
  // After the reflogs, as git prints it.
  constexpr std::uint32_t kAfterReflogs = 35;
  FaultReporter reporter(policy, findings, kAfterReflogs);
  reporter.report(MessageId::kNoDefaultReferences, "notice: No default references");
}

}  // namespace assay
