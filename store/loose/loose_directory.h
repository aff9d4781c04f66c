// LooseDirectory: what lies in the 256 fan-out directories of an objects directory.
//
// Only "00" to "ff" in lower case are opened, as in git. A file whose name is the rest of an id
// (either case) is an object; "tmp_obj_*" is a writer at work and is passed over; everything else
// is foreign. Whether a file is a regular one is for LooseReader to find out.
//
// Thread safety: const functions may be called from any thread at once; one fan-out directory is
// one task of a parallel verifier.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

struct LooseFile {
  ObjectId id;
  std::string name;  // of the file within its fan-out directory, as it is spelled
};

struct LooseListing {
  std::vector<LooseFile> objects;          // by id
  std::vector<std::string> foreign_names;  // by name
  // kSymlinkInObjects: the fan-out directory is a symbolic link; it is listed all the same.
  // kDirectoryUnreadable in git's words ("unable to open DIR: ..."): nothing is listed.
  std::vector<Fault> faults;
  os::FileDescriptor directory;  // for LoosePlace; not open when there is no such directory
};

// True for names of files and directories that git, or JGit, makes while it works among objects,
// and leaves behind when it is killed: temporary ones and locks; and for those of NFS.
bool is_work_in_progress(std::string_view name);

class LooseDirectory {
 public:
  static constexpr unsigned kFanoutCount = 256;

  // `path`: of the objects directory, openable; `shown_path`: the same as messages show it.
  LooseDirectory(os::System& system, std::string path, std::string shown_path, HashKind kind);

  // Lists one fan-out directory. A missing one is empty. Requires: fanout < kFanoutCount.
  LooseListing list(unsigned fanout) const;

  // Returns: what lies beside the fan-out directories, "info" and "pack" and is no work in
  // progress: git never looks there. By name; none when the directory cannot be listed.
  std::vector<std::string> foreign_names() const;

  // Lists only ids, of all fan-out directories, sorted. Faults are left to list().
  std::vector<ObjectId> all_ids() const;

  // "PATH/ab" and "PATH/ab/cdef..." as messages show them.
  std::string shown_directory(unsigned fanout) const;
  std::string shown_file(unsigned fanout, const std::string& name) const;

 private:
  std::string directory_path(unsigned fanout) const;

  os::System& system_;
  std::string path_;
  std::string shown_path_;
  HashKind kind_;
};

// Returns: "ab/cdef...", where the object lies below an objects directory.
std::string loose_file_path(const ObjectId& id);
// Returns: "ab".
std::string fanout_name(unsigned fanout);

}  // namespace assay
