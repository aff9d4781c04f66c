// Checker: the conductor of one fsck run. See fsck_run.h for what it is given and gives back.
//
// Order of work: configuration, a snapshot of the refs, all storage, then everything that needs to
// know which objects are good: special blobs, refs, reflogs, index files, the graph.
#pragma once

#include "store/fsck/check_graph.h"
#include "store/fsck/check_refs.h"
#include "store/fsck/fsck_run.h"
#include "store/repository/repository.h"

namespace assay {

class Checker {
 public:
  Checker(os::System& system, const FsckOptions& options) : system_(system), options_(options) {}

  Result<FsckReport> run();

 private:
  void override_parents(const Repository& repository);
  void check_roots(const Repository& repository, const Result<RefSnapshot>& snapshot,
                   const ObjectView& objects, RootTable& roots, GraphOptions& graph);
  void report_fault(Fault fault, std::uint32_t phase);
  FsckReport finish();

  os::System& system_;
  FsckOptions options_;
  Policy policy_;
  ParentOverrides parents_;
  FindingList findings_;
  std::uint64_t reported_faults_ = 0;
  FsckStatistics statistics_;
};

}  // namespace assay
