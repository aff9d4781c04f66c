// Running another program: what it said, how it ended, what it used.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/os/system.h"

namespace assay::tools {

struct ChildResult {
  int status = 0;             // its exit status; 128 + n when signal n ended it
  std::string out;            // of standard output
  std::string err;            // of standard error
  double wall_seconds = 0;    // from start to end
  double cpu_seconds = 0;     // of it and of those it waited for, user and system
  double peak_megabytes = 0;  // resident memory of the largest among them (10^6 bytes)
};

struct ChildCommand {
  std::vector<std::string> arguments;  // the first is the program, looked up in PATH
  std::string directory;               // to run in
  // Set or, without a value, removed; all else is inherited.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> removed;
};

// Runs the program to its end; standard input is empty. Its output is held in memory.
os::OsResult<ChildResult> run_child(const ChildCommand& command);

}  // namespace assay::tools
