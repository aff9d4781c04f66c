// Mapping the files that git derives from packs and commits.
#pragma once

#include <fcntl.h>

#include <string>

#include "store/os/mapped_file.h"

namespace assay {

// Maps a regular file, following symbolic links as git does; never blocks on a FIFO.
inline os::OsResult<os::MappedFile> map_file(os::System& system, const std::string& path) {
  const auto fd = system.open(os::kCurrentDirectory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return tl::unexpected<os::Error>(fd.error());
  return os::MappedFile::map(system, *fd);
}

}  // namespace assay
