// The table of commands: the one place where a command is registered.
#include "tools/common/command.h"
#include "tools/fsck/fsck.h"

namespace assay::tools {
namespace {

constexpr Command kCommands[] = {
    {"fsck", "verify the objects of a repository and how they hang together", run_fsck_command},
    {"help", "show this help",
     [](Context& context, Arguments) {
       print_help(context);
       return 0;
     }},
};

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace assay::tools
