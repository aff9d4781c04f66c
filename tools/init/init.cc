#include "tools/init/init.h"

#include <fmt/format.h>

#include <filesystem>

#include "store/init_repository.h"
#include "store/repository.h"
#include "tools/common/open_store.h"
#include "tools/common/options.h"

namespace assay::tools {
namespace {

// init.defaultBranch of the configuration that lies outside any repository.
Result<std::string> default_branch(Context& context) {
  ConfigSources sources;
  sources.overrides = context.globals.config;
  const auto config = GitConfig::load(context.system, Environment::of_process(), sources);
  if (!config) return tl::unexpected(config.error());
  return config->get("init.defaultBranch").value_or("master");
}

}  // namespace

int run_init(Context& context, Arguments arguments) {
  bool bare = context.globals.bare;
  bool quiet = false;
  std::string object_format;
  std::string branch;
  OptionParser parser(
      {"assay init [-q | --quiet] [--bare] [--object-format=<format>]\n"
       "                  [-b <branch-name> | --initial-branch=<branch-name>] [<directory>]"});
  parser.flag(0, "bare", "create a bare repository", &bare);
  parser.flag('q', "quiet", "be quiet", &quiet);
  parser.value('b', "initial-branch", "name", "override the name of the initial branch", &branch);
  parser.value(0, "object-format", "hash", "specify the hash algorithm to use", &object_format);
  if (const auto status = parser.parse(context, arguments)) return *status;
  if (parser.positional().size() > 1) return parser.usage(context);

  InitOptions options;
  options.bare = bare;
  if (!object_format.empty()) {
    const auto kind = parse_hash_name(object_format);
    if (!kind) return die(context, fmt::format("unknown hash algorithm '{}'", object_format));
    options.hash_kind_given = true;
    options.hash_kind = *kind;
  }
  if (branch.empty()) {
    auto configured = default_branch(context);
    if (!configured) return die_of(context, configured.error());
    branch = std::move(*configured);
  }
  if (!is_valid_ref_name("refs/heads/" + branch) || branch.starts_with('-')) {
    return die(context, fmt::format("invalid initial branch name: '{}'", branch));
  }
  options.initial_branch = branch;

  std::string directory = parser.positional().empty() ? "." : parser.positional().front();
  const auto environment_dir = Environment::of_process().get("GIT_DIR");
  if (context.globals.git_dir) {
    directory = *context.globals.git_dir;
  } else if (environment_dir) {
    directory = *environment_dir;
  } else if (!bare) {
    directory += "/.git";
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(directory, error);
  if (error) return die(context, fmt::format("cannot use {}: {}", directory, error.message()));
  options.git_dir = absolute.lexically_normal().string();
  while (options.git_dir.size() > 1 && options.git_dir.ends_with('/')) options.git_dir.pop_back();

  const auto result = init_repository(context.system, options);
  if (!result) return die_of(context, result.error());
  if (!quiet) {
    context.out.write(fmt::format("{} Git repository in {}/\n",
                                  result->existed ? "Reinitialized existing" : "Initialized empty",
                                  options.git_dir));
  }
  return 0;
}

}  // namespace assay::tools
