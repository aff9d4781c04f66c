// The installed git, run in a child process with a fixed identity, clock and configuration.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace assay::testing {

// Runs git in `directory` with `input` on its standard input. Returns: what it printed; a status
// other than 0 fails the test.
inline std::string run_git(const std::string& directory, std::vector<std::string> arguments,
                           std::string_view input = "") {
  const TemporaryDirectory streams;
  streams.write("in", input);
  streams.write("out", "");
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const int in = open(streams.path("in").c_str(), O_RDONLY);
    const int out = open(streams.path("out").c_str(), O_WRONLY | O_APPEND);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    if (chdir(directory.c_str()) != 0) _exit(99);
    for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "XDG_CONFIG_HOME"}) {
      unsetenv(name);
    }
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("HOME", "/nonexistent", 1);
    setenv("LC_ALL", "C", 1);
    for (const char* who : {"AUTHOR", "COMMITTER"}) {
      setenv((std::string("GIT_") + who + "_NAME").c_str(), "A U Thor", 1);
      setenv((std::string("GIT_") + who + "_EMAIL").c_str(), "a@example.com", 1);
      setenv((std::string("GIT_") + who + "_DATE").c_str(), "1112911993 +0000", 1);
    }
    arguments.insert(arguments.begin(), "git");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    execvp("git", pointers.data());
    _exit(98);
  }
  int raw = 0;
  waitpid(child, &raw, 0);
  const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 1000 + WTERMSIG(raw);
  std::string output = streams.read("out");
  if (status != 0) {
    ADD_FAILURE() << "git " << (arguments.size() > 1 ? arguments[0] : "") << ": status " << status
                  << "\n"
                  << output;
  }
  return output;
}

}  // namespace assay::testing
