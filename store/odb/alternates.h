// Alternates: the other object directories that a repository borrows from.
//
// Read from `info/alternates` of each object directory, recursively (5 deep), and from
// GIT_ALTERNATE_OBJECT_DIRECTORIES. Relative paths start at the objects directory that names
// them; names may be C-quoted; `#` begins a comment line. The main directory, duplicates and
// loops are dropped silently. Source: gitrepository-layout(5), git(1), and git 2.55.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

struct ObjectDirectories {
  std::vector<std::string> paths;  // the main one first, then alternates in git's order
  // kObjectDirectoryMissing and kAlternateIgnored, in git's words. None of them is fatal.
  std::vector<Fault> problems;
  // Of each problem: the `info/alternates` that it comes from, empty for the environment variable.
  std::vector<std::string> problem_files;
};

// `environment_list` is the value of GIT_ALTERNATE_OBJECT_DIRECTORIES (":" between paths).
ObjectDirectories find_object_directories(os::System& system, const std::string& main_directory,
                                          std::string_view environment_list);

// Returns: the text that a C-quoted string at the start of `text` spells, and how many bytes of
// `text` it took; nothing if `text` does not begin with a well-formed one.
struct Unquoted {
  std::string text;
  std::size_t consumed = 0;
};
std::optional<Unquoted> unquote_c_style(std::string_view text);

}  // namespace assay
