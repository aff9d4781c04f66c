// RefStore: the refs of a repository with the files backend, as one snapshot.
//
// Loose refs win over packed ones. Per-worktree refs (HEAD and other root refs, refs/bisect/,
// refs/worktree/, refs/rewritten/) come from the worktree's own git directory, all others from
// the common directory. A ref file that is empty, holds no id, or is a symref that leads nowhere
// is kept as broken, with the fault.
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
#include "store/report/fault.h"
#include "store/repository/worktrees.h"

namespace assay {

struct Ref {
  std::string name;           // "refs/heads/main", "HEAD", "worktrees/w/HEAD"
  ObjectId id;                // after following symrefs; null when broken
  std::string symref_target;  // where a symref points at first; empty for a plain ref
  std::string file;           // the loose file, or packed-refs
  bool packed = false;
  // A dangling symref: its chain of names is sound but ends at a ref that does not exist.
  bool dangling = false;
  std::optional<Fault> broken;  // why there is no id
};

class RefStore {
 public:
  // `shared_refs` are read from common_dir, private ones from git_dir.
  // Errors: kNotSupported for a reftable; kConfigBad for a packed-refs that git dies of is not
  // raised here: what can be read is kept, see packed_refs_fault().
  static Result<RefStore> snapshot(os::System& system, const std::string& git_dir,
                                   const std::string& common_dir, HashKind kind);

  // Every ref under refs/ as this worktree sees it, by name, broken ones included.
  const std::vector<Ref>& refs() const { return refs_; }

  // HEAD or another root ref of this worktree, "worktrees/ID/HEAD", "main-worktree/HEAD", or a
  // full name under refs/. Symrefs are followed, 5 deep.
  // Returns: nothing if there is no such ref; a Ref with `broken` if there is a bad one.
  std::optional<Ref> find(std::string_view full_name) const;

  // A name as people write it: tries NAME, refs/NAME, refs/tags/NAME, refs/heads/NAME,
  // refs/remotes/NAME, refs/remotes/NAME/HEAD in this order, as git does.
  std::optional<Ref> resolve(std::string_view name) const;

  // What is wrong with packed-refs as a whole, if anything (git dies of it when it reads it).
  const std::optional<Fault>& packed_refs_fault() const { return packed_fault_; }
  // Directories below refs/ that could not be listed.
  const std::vector<Fault>& problems() const { return problems_; }

 private:
  struct Raw;

  std::optional<Ref> resolve_chain(std::string_view full_name) const;
  std::optional<RefFile> read_raw(std::string_view full_name, Ref& ref) const;
  std::string path_of(std::string_view full_name) const;

  os::System* system_ = nullptr;
  std::string git_dir_;
  std::string common_dir_;
  HashKind kind_ = HashKind::kSha1;
  PackedRefs packed_;
  std::vector<Ref> refs_;
  std::optional<Fault> packed_fault_;
  std::vector<Fault> problems_;
};

}  // namespace assay
