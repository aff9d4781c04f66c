// Checker: the conductor of one fsck run. See fsck_run.h for what it is given and gives back.
//
// Order of work: configuration, a snapshot of the refs, all storage, then everything that needs to
// know which objects are good: special blobs, refs, reflogs, index files, the graph.
//
// All but the reading of objects is one look at the repository. When a look finds something while
// another process works there, there is another one (see patience.h), for which storage is listed
// again and what is new is verified.
#pragma once

#include "store/fsck/check_graph.h"
#include "store/fsck/check_refs.h"
#include "store/fsck/fsck_run.h"
#include "store/fsck/patience.h"
#include "store/fsck/read_object.h"
#include "store/fsck/storage_state.h"
#include "store/report/note.h"
#include "store/repository/repository.h"

namespace assay {

class Checker {
 public:
  Checker(os::System& system, const FsckOptions& options) : system_(system), options_(options) {}

  Result<FsckReport> run();

 private:
  struct Work;

  void set_up(const Repository& repository, Work& work);
  Patience::Look look(const Repository& repository, Work& work, FindingList& found);
  void load_storage(const Repository& repository, Work& work, const StorageState& state,
                    FindingList& found);
  void override_parents(const Repository& repository, FindingSink& found);
  RefSnapshot snapshot(const Repository& repository);
  // Both return the number of usable roots.
  std::size_t check_heads(const ObjectView& objects, RootTable& roots, FindingSink& found);
  std::size_t check_refs_and_reflogs(const Repository& repository, const RefSnapshot& snapshot,
                                     const ObjectView& objects, const ReadObject& read,
                                     RootTable& roots, FindingSink& found);
  void check_roots(const Repository& repository, const RefSnapshot& snapshot,
                   const ObjectView& objects, const ReadObject& read, RootTable& roots,
                   GraphOptions& graph, FindingSink& found);
  // Files that git rewrites one after the other may not fit together for a moment: what the check
  // finds wrong with them counts when it finds it twice.
  template <typename Check>
  void check_twice(FindingSink& found, Check check);
  void say(const std::string& line) const;
  // `file`: the one it is about, as messages show it, if that is known.
  void report_fault(Fault fault, std::uint32_t phase, FindingSink& found, std::string file = "");
  void report_inconclusive(const std::vector<Finding>& doubtful);
  FsckReport finish();

  os::System& system_;
  FsckOptions options_;
  Policy policy_;
  CommitParents parents_;
  FindingList findings_;
  Note note_;               // of this look
  bool unsettled_ = false;  // in this look: files changed whenever they were read
  std::uint64_t reported_faults_ = 0;
  FsckStatistics statistics_;
};

}  // namespace assay
