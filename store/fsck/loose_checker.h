// LooseChecker: reads loose objects for a verifier. What one worker of check_storage() does with
// the fan-out directories that it takes.
//
// A file that has gone since it was listed is no fault: the ledger is told that it vanished. All
// faults go to the verifier. Sizes are bytes. Thread safety: none, one checker a worker.
#pragma once

#include "store/fsck/storage.h"
#include "store/loose/loose_object.h"

namespace assay {

class LooseChecker {
 public:
  struct Options {
    std::uint64_t memory = 0;  // larger objects are hashed in pieces, and not judged
    bool skip_blobs = false;   // their content is not needed
  };

  // Everything must outlive the checker.
  LooseChecker(const Storage& storage, LinkLedger& ledger, ObjectVerifier& verifier,
               BufferPool& pool, StageClock& clock, const Options& options)
      : storage_(storage),
        ledger_(ledger),
        verifier_(verifier),
        pool_(pool),
        clock_(clock),
        options_(options),
        reader_(storage.system()) {}

  void check(const StoredFanout& fanout);

 private:
  void check_object(const ObjectCopy& place_copy, const LoosePlace& place);
  bool is_gone(const LoosePlace& place, std::uint32_t number);

  const Storage& storage_;
  LinkLedger& ledger_;
  ObjectVerifier& verifier_;
  BufferPool& pool_;
  StageClock& clock_;
  const Options options_;
  LooseReader reader_;
};

}  // namespace assay
