#include "store/os/follow_file.h"

#include <fcntl.h>

#include <cerrno>

namespace assay::os {
namespace {

// As the kernel counts before it gives ELOOP (path_resolution(7)).
constexpr int kMaxLinks = 40;
// Longer results are refused, so that links cannot grow a path without bound. Bytes.
constexpr std::size_t kMaxPath = 64 << 10;

void drop_last_component(std::string& path) {
  const auto slash = path.rfind('/');
  path.resize(slash == std::string::npos ? 0 : slash);
}

}  // namespace

bool is_missing(const Error& error) { return error.code == ENOENT || error.code == ENOTDIR; }

OsResult<Bytes> read_followed_file(System& system, const std::string& path, std::uint64_t limit) {
  auto fd = system.open(kCurrentDirectory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return tl::unexpected<Error>(fd.error());
  const auto status = system.status(fd->get());
  if (!status) return tl::unexpected<Error>(status.error());
  if (status->kind == FileKind::kDirectory) return tl::unexpected<Error>(Error{EISDIR});
  if (status->kind != FileKind::kRegular && path != "/dev/null") {
    return tl::unexpected<Error>(Error{EINVAL});
  }
  return read_all(system, fd->get(), limit);
}

OsResult<std::string> absolute_path(System& system, const std::string& path) {
  if (!path.empty() && path.front() == '/') return path;
  auto directory = system.read_link(kCurrentDirectory, "/proc/self/cwd");
  if (!directory) return directory;
  if (path.empty() || path == ".") return directory;
  if (directory->back() != '/') *directory += '/';
  return *directory + path;
}

OsResult<std::string> real_path(System& system, const std::string& path, std::size_t max_missing) {
  auto rest = absolute_path(system, path);
  if (!rest) return rest;
  std::string resolved;  // without a slash at the end; empty is the root
  int links = 0;
  std::size_t missing = 0;
  std::size_t position = 0;
  while (position < rest->size()) {
    if ((*rest)[position] == '/') {
      ++position;
      continue;
    }
    auto end = rest->find('/', position);
    if (end == std::string::npos) end = rest->size();
    const std::string component = rest->substr(position, end - position);
    position = end;
    if (component == ".") continue;
    if (component == "..") {
      drop_last_component(resolved);
      continue;
    }
    resolved += '/';
    resolved += component;
    if (resolved.size() > kMaxPath) return tl::unexpected<Error>(Error{ENAMETOOLONG});
    if (missing > 0) {
      if (++missing > max_missing) return tl::unexpected<Error>(Error{ENOENT});
      continue;
    }
    const auto status = system.status_at(kCurrentDirectory, resolved, false);
    if (!status) {
      if (!is_missing(status.error())) return tl::unexpected<Error>(status.error());
      if (++missing > max_missing) return tl::unexpected<Error>(Error{ENOENT});
      continue;
    }
    if (status->kind != FileKind::kSymlink) continue;
    if (++links > kMaxLinks) return tl::unexpected<Error>(Error{ELOOP});
    auto target = system.read_link(kCurrentDirectory, resolved);
    if (!target) return target;
    if (target->empty()) return tl::unexpected<Error>(Error{ENOENT});
    if (target->front() == '/') {
      resolved.clear();
    } else {
      drop_last_component(resolved);
    }
    *rest = *target + rest->substr(position);
    position = 0;
    if (rest->size() > kMaxPath) return tl::unexpected<Error>(Error{ENAMETOOLONG});
  }
  return resolved.empty() ? "/" : resolved;
}

}  // namespace assay::os
