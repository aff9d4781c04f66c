// ReftableStack: the tables of one `reftable` directory, newest last, and the refs they give
// together: a table hides what older ones say of the same ref.
//
// The main directory holds the shared refs and those of the main worktree; a linked worktree has
// one of its own. Files stay mapped, so a stack that was read is a snapshot.
//
// Source of the layout: git's Documentation/technical/reftable, "Layout".
// Thread safety: immutable once read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/os/mapped_file.h"
#include "store/os/system.h"
#include "store/refs/reftable.h"

namespace assay {

class ReftableStack {
 public:
  struct Table {
    std::string name;
    std::string path;   // to open
    std::string shown;  // path in messages
    os::MappedFile file;
    Reftable content;
  };
  struct Problem {
    std::string file;  // as shown
    Fault fault;       // kReftableBad: git cannot use the stack; kReftableDoubtful
  };
  struct FoundRef {
    const ReftableRef* ref = nullptr;
    const Table* table = nullptr;
  };

  // `directory`: ".../reftable"; `shown`: the same in messages; `worktree`: the name of the linked
  // worktree that it belongs to, if any. Tables that a writer has merged meanwhile are looked for
  // again. Never fails: see problems().
  static ReftableStack read(os::System& system, const std::string& directory,
                            const std::string& shown, const std::string& worktree, HashKind kind);

  const std::vector<Table>& tables() const { return tables_; }
  const std::vector<Problem>& problems() const { return problems_; }
  // The refs that exist, by name.
  const std::map<std::string_view, FoundRef>& refs() const { return refs_; }
  // Returns: no ref when there is none of that name.
  FoundRef find(std::string_view name) const;

  // The entries of all reflogs that are not hidden by newer tables; newer tables come first, in
  // each of them entries by ref, newest first.
  void for_each_log(const std::function<void(const ReftableLog&, const Table&)>& function) const;

 private:
  bool read_once(os::System& system, const std::string& directory, const std::string& shown,
                 const std::string& worktree);
  void merge();

  HashKind kind_ = HashKind::kSha1;
  std::vector<Table> tables_;
  std::vector<Problem> problems_;
  std::map<std::string_view, FoundRef> refs_;
};

}  // namespace assay
