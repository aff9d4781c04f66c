#include "tools/bench/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace assay::tools {
namespace {

// The output goes to files in memory, so that nobody has to read while the child is measured.
os::FileDescriptor memory_file() {
  return os::FileDescriptor(::memfd_create("output", MFD_CLOEXEC));
}

std::string content_of(int fd) {
  std::string content;
  char piece[1 << 16];
  for (;;) {
    const ssize_t size = ::pread(fd, piece, sizeof piece, static_cast<off_t>(content.size()));
    if (size <= 0) return content;
    content.append(piece, static_cast<std::size_t>(size));
  }
}

std::vector<std::string> environment_of(const ChildCommand& command) {
  const auto named = [](std::string_view entry, std::string_view name) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  };
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const auto is_named = [&](std::string_view name) { return named(*entry, name); };
    const bool replaced =
        std::any_of(command.environment.begin(), command.environment.end(),
                    [&](const auto& variable) { return is_named(variable.first); }) ||
        std::any_of(command.removed.begin(), command.removed.end(), is_named);
    if (!replaced) entries.emplace_back(*entry);
  }
  for (const auto& [name, value] : command.environment) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

os::OsResult<ChildResult> run_child(const ChildCommand& command) {
  const os::FileDescriptor out = memory_file();
  const os::FileDescriptor err = memory_file();
  if (!out.is_open() || !err.is_open()) return tl::unexpected<os::Error>(os::Error{errno});

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.get(), 2);
  if (!command.directory.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
  }
  const std::vector<std::string> environment = environment_of(command);
  pid_t child = 0;
  const auto begin = std::chrono::steady_clock::now();
  const int error =
      ::posix_spawnp(&child, command.arguments.front().c_str(), &actions, nullptr,
                     pointers_to(command.arguments).data(), pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return tl::unexpected<os::Error>(os::Error{error});

  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return tl::unexpected<os::Error>(os::Error{errno});
  }
  ChildResult result;
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.peak_megabytes = static_cast<double>(usage.ru_maxrss) * 1024e-6;
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = content_of(out.get());
  result.err = content_of(err.get());
  return result;
}

}  // namespace assay::tools
