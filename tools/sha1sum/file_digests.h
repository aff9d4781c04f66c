// SHA-1 of many files: several threads, and in each the lanes of a kernel, many files at once.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "sha1/sha1.h"
#include "store/os/system.h"

namespace assay::tools {

struct DigestTask {
  std::string path;  // "-" is standard input
  int error = 0;     // result: error number of what could not be opened or read, 0 when all is well
  bool opened = false;  // result: whether it could be opened
  sha1::Result result{};
};

// Digests all tasks with collisions detected. `ready` is called on the calling thread for each, in
// order, as soon as it and those before it are done. Files are opened as they are named: links are
// followed, and a FIFO is waited for. Those called "-" are read first, from `in`.
//
// Memory: a few MiB a thread, whatever the sizes of the files.
void digest_files(os::System& system, int in, std::span<DigestTask> tasks,
                  const std::function<void(const DigestTask&)>& ready);

}  // namespace assay::tools
