// Reading small files that may rightly be symbolic links (config files, HEAD, .git, alternates),
// and resolving paths. Objects and packs are never read this way.
#pragma once

#include <cstdint>
#include <string>

#include "store/base/bytes.h"
#include "store/os/system.h"

namespace assay::os {

// Reads a regular file or a device such as /dev/null, following symbolic links, without ever
// blocking: a FIFO or socket gives EINVAL, a directory EISDIR, more than `limit` bytes EFBIG.
OsResult<Bytes> read_followed_file(System& system, const std::string& path, std::uint64_t limit);

// Returns: the absolute path without symbolic links, "." and "..". Up to `max_missing` last
// components that do not exist are kept as they are written, more give ENOENT. More than 40 links
// give ELOOP.
OsResult<std::string> real_path(System& system, const std::string& path,
                                std::size_t max_missing = SIZE_MAX);

// Returns: the path made absolute, links and ".." left in place.
OsResult<std::string> absolute_path(System& system, const std::string& path);

// True for the errors that mean "there is no such file".
bool is_missing(const Error& error);

}  // namespace assay::os
