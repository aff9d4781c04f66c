// RefStore: the refs of a repository, as one snapshot: of files, or of reftables.
//
// Of files: loose refs win over packed ones. Per-worktree refs (HEAD and other root refs,
// refs/bisect/, refs/worktree/, refs/rewritten/) come from the worktree's own git directory, all
// others from the common directory. A ref file that is empty, holds no id, or is a symref that
// leads nowhere is kept as broken, with the fault.
//
// Of reftables: a stack of tables in the common directory holds the shared refs and those of the
// main worktree, one in the git directory of each linked worktree its own (see reftable_stack.h).
//
// Source of the format: gitrepository-layout(5), git-pack-refs(1).
// Thread safety: immutable once taken; may be read from any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/os/system.h"
#include "store/refs/packed_refs.h"
#include "store/refs/ref_file.h"
#include "store/refs/ref_name.h"
#include "store/report/fault.h"
#include "store/repository/reftable_stack.h"

namespace assay {

struct Ref {
  std::string name;           // "refs/heads/main", "HEAD", "worktrees/w/HEAD"
  ObjectId id;                // after following symrefs; null when broken
  std::string symref_target;  // where a symref points at first; empty for a plain ref
  std::string file;           // the loose file, or packed-refs
  bool packed = false;
  // A symref whose chain of names is sound but ends at a ref that does not exist. For HEAD this is
  // an unborn branch.
  bool dangling = false;
  std::optional<Fault> broken;  // why there is no id
};

struct RefStoreLocation {
  std::string git_dir;             // of the worktree whose private refs are meant
  std::string common_dir;          // shared refs and packed-refs
  std::string shown_common_dir{};  // what to call it in messages; common_dir if empty
  bool reftables = false;
};

class RefStore {
 public:
  // Reads all there is. A packed-refs that git would die of is no error here: what can be read is
  // kept, see packed_refs_fault(). `system` must outlive the store.
  static RefStore snapshot(os::System& system, RefStoreLocation location, HashKind kind);

  // Refs of which another worktree has its own, by name: those below refs/bisect/, refs/rewritten/
  // and refs/worktree/. `prefix`: "worktrees/ID/" or "main-worktree/". Read from disk at each call.
  std::vector<Ref> private_refs(const std::string& prefix) const;

  // Every ref under refs/ as this worktree sees it, by name, broken ones included.
  const std::vector<Ref>& refs() const { return refs_; }

  // HEAD or another root ref of this worktree, "worktrees/ID/HEAD", "main-worktree/HEAD", or a
  // full name under refs/. Symrefs are followed, 5 deep. Read from disk at each call.
  // Returns: nothing if there is no such ref; a Ref with `broken` if there is a bad one.
  std::optional<Ref> find(std::string_view full_name) const;

  // A name as people write it: tries NAME, refs/NAME, refs/tags/NAME, refs/heads/NAME,
  // refs/remotes/NAME, refs/remotes/NAME/HEAD in this order, as git does; NAME alone must be a
  // root ref or be under refs/.
  // Returns: the first of them that has an id.
  std::optional<Ref> resolve(std::string_view name) const;

  // What is wrong with packed-refs, if anything; git dies of it when it reads the file.
  const std::optional<Fault>& packed_refs_fault() const { return packed_fault_; }
  // As it is in the file, empty without one.
  const PackedRefs& packed_refs() const { return packed_; }
  // Directories below refs/ that could not be listed; reftables that are damaged or doubtful.
  const std::vector<Fault>& problems() const { return problems_; }

  // Returns: the file where the loose ref of that name would lie.
  std::string path_of(std::string_view full_name) const;

 private:
  struct Raw;

  void read_all();
  std::optional<Ref> find_listed(const std::string& name) const;
  void read_stacks();
  void read_packed();
  const ReftableStack* stack_of(const WorktreeRefName& name) const;
  Raw read_table_raw(const std::string& full_name) const;
  // Names of the loose refs below the directories, which are ref names that end in "/".
  void list_loose(std::vector<std::string> directories, std::vector<std::string>& names,
                  std::vector<Fault>& problems) const;
  Raw read_raw(const std::string& full_name) const;
  Raw read_packed_raw(const std::string& full_name) const;

  os::System* system_ = nullptr;
  RefStoreLocation location_;
  HashKind kind_ = HashKind::kSha1;
  PackedRefs packed_;
  std::map<std::string, std::shared_ptr<const ReftableStack>> stacks_;  // by git directory
  std::vector<Ref> refs_;
  std::optional<Fault> packed_fault_;
  std::vector<Fault> problems_;
};

}  // namespace assay
