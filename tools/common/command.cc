#include "tools/common/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "store/repository.h"
#include "tools/common/version.h"

namespace assay::tools {
namespace {

constexpr std::string_view kUsage =
    "usage: assay [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]\n"
    "             [--git-dir=<path>] [--bare] <command> [<args>]\n";

int usage(Context& context, std::string_view text) {
  context.err.write(text);
  context.err.write("\n");
  context.err.write(kUsage);
  return kExitUsage;
}

// --config-env=name=variable: the value is taken from the environment. Returns: an error text.
std::optional<std::string> add_config_from_environment(GlobalOptions& globals,
                                                       std::string_view setting) {
  const std::size_t equals = setting.rfind('=');
  if (equals == std::string_view::npos) return fmt::format("invalid config format: {}", setting);
  const std::string variable(setting.substr(equals + 1));
  if (variable.empty()) {
    return fmt::format("missing environment variable name for configuration '{}'",
                       setting.substr(0, equals));
  }
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr) {
    return fmt::format("missing environment variable '{}' for configuration '{}'", variable,
                       setting.substr(0, equals));
  }
  globals.config.emplace_back(setting.substr(0, equals), value);
  return std::nullopt;
}

// Reads the options before the subcommand. Returns: the exit status when the program ends here.
std::optional<int> parse_globals(Context& context, Arguments arguments, std::size_t& next) {
  const auto value_of = [&](std::string_view argument,
                            std::string_view name) -> std::optional<std::string_view> {
    if (argument.starts_with(name) && argument.size() > name.size() &&
        argument[name.size()] == '=') {
      return argument.substr(name.size() + 1);
    }
    if (argument == name && next < arguments.size()) return std::string_view(arguments[next++]);
    return std::nullopt;
  };
  while (next < arguments.size()) {
    const std::string_view argument = arguments[next];
    if (argument.empty() || argument[0] != '-') break;
    ++next;
    if (argument == "--version" || argument == "-v") {
      bool verbose = false;
      for (; next < arguments.size(); ++next) {
        const std::string_view more = arguments[next];
        if (more != "-v" && more != "--verbose" && more != "--build-options") {
          return usage(context, fmt::format("unknown option: {}", more));
        }
        verbose = true;
      }
      print_version(context, verbose);
      return 0;
    }
    if (argument == "--help" || argument == "-h") {
      print_help(context);
      return 0;
    }
    if (argument == "-C") {
      if (next == arguments.size()) return usage(context, "no directory given for '-C' option");
      const char* path = arguments[next++];
      if (*path != '\0' && ::chdir(path) != 0) {
        return die(context, fmt::format("cannot change to '{}': {}", path, std::strerror(errno)));
      }
    } else if (argument == "-c") {
      if (next == arguments.size()) return usage(context, "-c expects a configuration string");
      context.globals.config.push_back(parse_config_override(arguments[next++]));
    } else if (argument == "--git-dir" || argument.starts_with("--git-dir=")) {
      const auto value = value_of(argument, "--git-dir");
      if (!value) return usage(context, "no directory given for '--git-dir' option");
      context.globals.git_dir = *value;
    } else if (argument == "--config-env" || argument.starts_with("--config-env=")) {
      const auto value = value_of(argument, "--config-env");
      if (!value) return usage(context, "no config key given for --config-env");
      if (const auto problem = add_config_from_environment(context.globals, *value)) {
        return die(context, *problem);
      }
    } else if (argument == "--bare") {
      context.globals.bare = true;
    } else if (argument != "--no-pager" && argument != "-P" && argument != "--no-replace-objects" &&
               argument != "--no-optional-locks" && argument != "--no-advice" &&
               argument != "--no-lazy-fetch") {
      // Those of git that change nothing here are accepted; all others are wrong.
      return usage(context, fmt::format("unknown option: {}", argument));
    }
  }
  return std::nullopt;
}

int run_command(Context& context, Arguments arguments) {
  std::size_t next = 0;
  if (const auto status = parse_globals(context, arguments, next)) return *status;
  if (next == arguments.size()) {
    context.err.write(kUsage);
    return 1;
  }
  const std::string_view name = arguments[next];
  for (const Command& command : all_commands()) {
    if (command.name == name) return command.run(context, arguments.subspan(next + 1));
  }
  context.err.write(
      fmt::format("assay: '{}' is not an assay command. See 'assay --help'.\n", name));
  return 1;
}

}  // namespace

std::string temporary_directory() {
  const char* directory = std::getenv("TMPDIR");
  return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

int die(Context& context, std::string_view text) {
  context.out.flush();
  context.err.write(fmt::format("fatal: {}\n", text));
  return kExitFatal;
}

void print_error(Context& context, std::string_view text) {
  context.out.flush();
  context.err.write(fmt::format("error: {}\n", text));
}

void print_warning(Context& context, std::string_view text) {
  context.out.flush();
  context.err.write(fmt::format("warning: {}\n", text));
}

void print_help(Context& context) {
  context.out.write(kUsage);
  context.out.write("\nCommands:\n");
  std::size_t width = 0;
  for (const Command& command : all_commands()) width = std::max(width, command.name.size());
  for (const Command& command : all_commands()) {
    context.out.write(fmt::format("   {:<{}} {}\n", command.name, width, command.summary));
  }
}

int run_assay(os::System& system, int in, int out, int err, std::span<char* const> arguments) {
  Output output(system, out);
  Output errors(system, err, Output::Buffering::kUnbuffered);
  Context context{system, in, output, errors, {}};
  int status = run_command(context, arguments);
  output.flush();
  if (output.failed() != 0 && status == 0) {
    // Results that did not arrive must not look like success.
    status = die(context, fmt::format("write failure on standard output: {}",
                                      os::Error{output.failed()}.text()));
  }
  return status;
}

}  // namespace assay::tools
