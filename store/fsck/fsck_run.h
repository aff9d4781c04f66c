// What a run of fsck is given and what it gives back.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/report/finding.h"
#include "store/report/note.h"
#include "store/repository/layout.h"

namespace assay {

// How far a run is, for whoever shows it. Written by the workers, may be read at any time.
struct FsckProgress {
  std::atomic<std::uint64_t> total_objects{0};  // copies to verify; 0 until storage is listed
  std::atomic<std::uint64_t> objects{0};        // copies verified
  std::atomic<std::uint64_t> bytes{0};          // of their content
  // What derived files name, known once these were checked.
  std::atomic<std::uint64_t> commit_graph_commits{0};
  std::atomic<std::uint64_t> multi_pack_index_objects{0};
};

// An object that the user names, and what that name stands for, if for anything.
struct FsckHead {
  std::string name;
  std::optional<ObjectId> id;
};

struct FsckOptions {
  OpenOptions repository;
  bool full = true;  // false: objects in packs are not checked
  bool strict = false;
  bool connectivity_only = false;
  bool show_unreachable = false;
  bool show_dangling = true;
  bool show_roots = false;
  bool show_tags = false;
  bool name_objects = false;  // say what git calls the objects that links speak of
  bool lost_found = false;    // write dangling objects into lost-found/ of the git directory
  bool use_reflogs = true;
  std::optional<bool> use_index;  // --cache; unset: yes unless objects are given
  bool check_references = true;   // refs verify
  std::vector<FsckHead> heads;    // roots instead of refs, reflogs and index files
  bool portable_names = false;    // judge names in trees for other systems, too
  bool full_bitmaps = false;      // compare reachability bitmaps with what is reachable
  bool detect_collisions = true;
  // Other processes may work in the repository: what they may have caused is looked at again.
  // False: nobody does, and what is found at first is so.
  bool may_change = true;
  unsigned threads = 0;                             // 0: as many as are worth starting
  std::uint64_t memory = std::uint64_t{256} << 20;  // bytes for objects under way
  std::string temporary_directory = "/tmp";         // for blobs that memory has no room for
  FsckProgress* progress = nullptr;                 // must outlive the run
  // Receives the lines of --verbose, from any thread and in the order of work.
  Note note;
};

struct FsckStatistics {
  std::uint64_t objects = 0;       // copies that were hashed
  std::uint64_t object_bytes = 0;  // bytes of their content
  std::uint64_t hashed_bytes = 0;  // content and headers
  std::uint64_t packs = 0;
  std::uint64_t loose_objects = 0;
  double seconds = 0;      // wall clock
  double cpu_seconds = 0;  // of all threads
  struct Stage {
    std::string_view name;
    double seconds = 0;  // of all threads
  };
  std::vector<Stage> stages;
  HashKind hash = HashKind::kSha1;
  double hash_seconds = 0;  // of all threads
  std::string_view kernel;  // what computed the hash
  bool detecting = false;   // collision attacks, of which none is known for SHA-256
  unsigned threads = 0;
};

struct FsckReport {
  std::vector<Finding> findings;  // in canonical order, those that the policy ignores left out
  int exit_status = 0;            // git's bits; 128 where git 2.55 would have died
  FsckStatistics statistics;
};

}  // namespace assay
