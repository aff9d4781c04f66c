// check_storage: reads every copy of every object once, on several threads, and verifies it.
//
// git may work in the repository meanwhile: a loose file that has gone is no fault here.
//
// Order of work: loose objects and packs are shared out to the same workers. What could not be read
// because a delta base is damaged is tried again with another copy of the base when everything else
// is known. If a bad copy had its links entered, all links are counted again without it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "store/fsck/storage.h"

namespace assay {

struct StorageCheckOptions {
  unsigned threads = 1;
  std::uint64_t memory = std::uint64_t{256} << 20;  // bytes for objects under way
  std::string temporary_directory = "/tmp";         // for blobs that memory has no room for
  bool check_packs = true;                          // false: --no-full
  bool connectivity_only = false;                   // believe what objects claim to be
  bool full_bitmaps = false;                        // for check_crossrefs: see check_bitmaps.h
  // core.bigFileThreshold, bytes: git streams larger packed blobs and cannot judge them.
  std::uint64_t big_file_threshold = std::uint64_t{512} << 20;
  VerifyOptions verify;
};

// The results of all passes over a storage that grows.
struct StorageCheckResult {
  std::vector<Finding> findings;  // not sorted
  SpecialBlobs special_blobs;
  VerifyCounters counters;
  std::array<std::uint64_t, kStages> stage_ticks{};
};

// Verifies the files of storage from `begin` on and adds to `result`.
void check_storage(const Storage& storage, StorageExtent begin, LinkLedger& ledger,
                   const StorageCheckOptions& options, StorageCheckResult& result);

// Enters the links of all present objects again, every one counted: see LinkLedger.
void count_links(const Storage& storage, LinkLedger& ledger, const StorageCheckOptions& options);

}  // namespace assay
