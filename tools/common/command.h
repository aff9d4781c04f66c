// What every subcommand of `assay` is: a row of the table in tools/commands.cc.
//
// To add one: write tools/<name>/<name>.{h,cc} with `int run_<name>(Context&, Arguments)`, and add
// its row to tools/commands.cc. A command parses its arguments with OptionParser, writes results to
// `context.out`, everything for people to `context.err`, and returns the exit status.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/os/system.h"
#include "tools/common/output.h"

namespace assay::tools {

// Exit statuses of git that every command shares.
constexpr int kExitFatal = 128;  // after a line "fatal: ..."
constexpr int kExitUsage = 129;  // wrong use of the command line

// What stands before the subcommand.
struct GlobalOptions {
  std::optional<std::string> git_dir;  // --git-dir; without it $GIT_DIR counts
  bool bare = false;                   // --bare
  // -c name[=value] and --config-env, in order. No value: the name alone, which means "true".
  std::vector<std::pair<std::string, std::optional<std::string>>> config;
};

struct Context {
  os::System& system;
  int in;  // the descriptor of standard input
  Output& out;
  Output& err;  // unbuffered
  GlobalOptions globals;
};

// The arguments after the name of the subcommand. They live as long as the program.
using Arguments = std::span<char* const>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(Context&, Arguments);
};

// All commands, sorted as the help shows them.
std::span<const Command> all_commands();

// Prints "fatal: TEXT"; standard output comes first, so that both stay in order.
// Returns: kExitFatal, for `return die(context, ...)`.
int die(Context& context, std::string_view text);
void print_error(Context& context, std::string_view text);    // "error: TEXT"
void print_warning(Context& context, std::string_view text);  // "warning: TEXT"
// Returns: the directory that $TMPDIR names, else /tmp.
std::string temporary_directory();

// The global usage and the list of commands, to standard output.
void print_help(Context& context);

// The whole program: global options, then the subcommand. `-C` changes the working directory of
// the process. Returns: the exit status.
int run_assay(os::System& system, int in, int out, int err, std::span<char* const> arguments);

}  // namespace assay::tools
