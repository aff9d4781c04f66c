// StorageState: what object directories looked like at a moment, as far as the names, sizes and
// times of files tell.
//
// Two states that are the same, with a check between them, say that the check was not disturbed:
// whoever adds or removes an object, pack or derived file changes a directory. Taking one costs
// about 300 system calls for each object directory.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/fsck/storage.h"

namespace assay {

class StorageState {
 public:
  static StorageState take(os::System& system, const std::vector<ObjectSource>& directories);

  bool same_as(const StorageState& other) const {
    return same_graphs_as(other) && objects_ == other.objects_;
  }
  // Commit-graphs alone.
  bool same_graphs_as(const StorageState& other) const { return graphs_ == other.graphs_; }

  // True when something had changed in the same tick of the clock in which the state was taken, so
  // that another change might not show.
  bool is_fresh() const;
  // True when the names in a pack directory had changed a moment before.
  bool packs_are_fresh() const;

 private:
  struct File {
    std::string path;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    friend bool operator==(const File&, const File&) = default;
  };

  void add(os::System& system, const std::string& path, std::vector<File>& files);
  void add_directory(os::System& system, const std::string& path, std::vector<File>& files);

  std::vector<File> objects_;
  std::vector<File> graphs_;
  std::int64_t newest_ns_ = 0;        // of all times before taken_ns_
  std::int64_t newest_packs_ns_ = 0;  // of the pack directories
  std::int64_t taken_ns_ = 0;
};

}  // namespace assay
