// The command line of sha1sum, with the words of GNU getopt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/common/command.h"

namespace assay::tools {

struct Sha1sumOptions {
  bool binary = false;  // the last of -b, -t and --tag decides
  bool text_given = false;
  bool binary_given = false;
  bool tag = false;
  bool zero = false;
  bool check = false;
  bool ignore_missing = false;
  bool quiet = false;
  bool status = false;
  bool strict = false;
  bool warn = false;
  std::vector<std::string> files;  // "-" when none is given
};

// Returns: the exit status when the program ends here (wrong use, --help), everything having been
// said; otherwise nothing, and `options` are consistent.
std::optional<int> parse_sha1sum_arguments(Context& context, Arguments arguments,
                                           Sha1sumOptions& options);

// The beginning of all messages.
constexpr const char* kSha1sum = "sha1sum: ";

}  // namespace assay::tools
