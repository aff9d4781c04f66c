// The table of commands: the one place where a command is registered.
#include "tools/common/command.h"

namespace assay::tools {
namespace {

constexpr Command kCommands[] = {
    {"help", "show this help",
     [](Context& context, Arguments) {
       print_help(context);
       return 0;
     }},
};

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace assay::tools
