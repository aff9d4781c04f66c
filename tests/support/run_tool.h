// Runs `assay` in a child process of the test: standard input, output, status, as a user has them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.h"
#include "tools/common/command.h"

namespace assay::testing {

struct ToolResult {
  int status = -1;  // exit status; 1000 + number when a signal ended it
  std::string out;
  std::string err;
};

// A child that runs the program with its three descriptors.
class ToolProcess {
 public:
  // `directory`: where it runs. `system`: the operating system it sees.
  ToolProcess(const std::vector<std::string>& arguments, const std::string& directory, int in,
              int out, int err, os::System& system = os::System::real()) {
    child_ = fork();
    if (child_ != 0) return;
    // Nothing of the machine's own configuration, and no hang for ever.
    alarm(60);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("HOME", "/nonexistent", 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("GIT_DIR");
    setenv("GIT_CEILING_DIRECTORIES", directory.substr(0, directory.rfind('/')).c_str(), 1);
    if (chdir(directory.c_str()) != 0) _exit(99);
    std::vector<std::string> copy = arguments;
    std::vector<char*> pointers;
    for (std::string& argument : copy) pointers.push_back(argument.data());
    _exit(tools::run_assay(system, in, out, err, pointers));
  }
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;
  ~ToolProcess() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    wait();
  }

  int wait() {
    int raw = 0;
    waitpid(std::exchange(child_, -1), &raw, 0);
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 1000 + WTERMSIG(raw);
  }

 private:
  pid_t child_ = -1;
};

// Runs to the end with the given input. Files carry the streams, so nothing can block.
inline ToolResult run_tool(const std::vector<std::string>& arguments, const std::string& directory,
                           std::string_view input = "", os::System& system = os::System::real()) {
  const TemporaryDirectory streams;
  streams.write("in", input);
  streams.write("out", "");
  streams.write("err", "");
  const int in = open(streams.path("in").c_str(), O_RDONLY | O_CLOEXEC);
  const int out = open(streams.path("out").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const int err = open(streams.path("err").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ToolResult result;
  result.status = ToolProcess(arguments, directory, in, out, err, system).wait();
  for (const int fd : {in, out, err}) close(fd);
  result.out = streams.read("out");
  result.err = streams.read("err");
  return result;
}

}  // namespace assay::testing
