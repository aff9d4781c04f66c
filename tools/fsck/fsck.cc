#include "tools/fsck/fsck.h"

#include <unistd.h>

#include <charconv>
#include <mutex>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "store/object_names.h"
#include "store/repository.h"
#include "tools/common/byte_size.h"
#include "tools/common/options.h"
#include "tools/common/verify_command.h"
#include "tools/fsck/figures.h"
#include "tools/fsck/outcome.h"
#include "tools/fsck/progress.h"

namespace assay::tools {
namespace {

struct Settings {
  FsckOptions fsck;
  OutcomeSettings outcome;
  bool cache = false;
  bool verbose = false;
  bool progress = ::isatty(STDERR_FILENO) != 0;
  bool statistics = ::isatty(STDERR_FILENO) != 0;
  bool profile = false;
  bool detect = true;
  std::vector<std::string> repositories;
};

void declare_options(OptionParser& parser, Settings& settings) {
  FsckOptions& fsck = settings.fsck;
  parser.takes_place_of("git fsck [<options>] [<object>...]");
  parser.flag('v', "verbose", "say more", &settings.verbose);
  parser.flag(0, "unreachable", "show unreachable objects", &fsck.show_unreachable);
  parser.flag(0, "dangling", "show dangling objects", &fsck.show_dangling);
  parser.flag(0, "tags", "report tags", &fsck.show_tags);
  parser.flag(0, "root", "report root commits", &fsck.show_roots);
  parser.flag(0, "cache", "make index objects head nodes", &settings.cache);
  parser.flag(0, "reflogs", "make reflogs head nodes (default)", &fsck.use_reflogs);
  parser.flag(0, "full", "also consider packs and alternate objects", &fsck.full);
  parser.flag(0, "connectivity-only", "check only connectivity", &fsck.connectivity_only);
  parser.flag(0, "strict", "enable more strict checking", &fsck.strict);
  parser.flag(0, "lost-found", "write dangling objects in .git/lost-found", &fsck.lost_found);
  parser.flag(0, "progress", "show progress", &settings.progress);
  parser.flag(0, "name-objects", "show verbose names for reachable objects", &fsck.name_objects);
  parser.flag(0, "references", "check reference database consistency", &fsck.check_references);
  parser.flag(0, "portable-names", "warn of names in trees that not every system can keep",
              &fsck.portable_names);
  parser.flag(0, "full-bitmaps", "compare reachability bitmaps with what commits reach",
              &fsck.full_bitmaps);
  parser.flag(0, "stats", "end with one line of figures (default on a terminal)",
              &settings.statistics);
  parser.flag(0, "profile", "show where the time went", &settings.profile);
  parser.flag(0, "collision-detection", "look for SHA-1 collision attacks (default)",
              &settings.detect);
  parser.value('j', "threads", "n", "use that many threads",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 unsigned threads = 0;
                 const auto [end, error] =
                     std::from_chars(text.data(), text.data() + text.size(), threads);
                 if (error != std::errc() || end != text.data() + text.size() || threads > 1024) {
                   return "threads expects a number from 0 to 1024";
                 }
                 settings.fsck.threads = threads;
                 return std::nullopt;
               });
  parser.value(0, "memory", "size", "bytes for objects under way, k, m and g are units",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 const auto size = parse_byte_size(text);
                 if (!size || *size < (std::uint64_t{1} << 20)) {
                   return "memory expects a size of at least 1m";
                 }
                 settings.fsck.memory = *size;
                 return std::nullopt;
               });
  parser.value(0, "repo", "path", "check that repository (may be repeated)",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 settings.repositories.emplace_back(text);
                 return std::nullopt;
               });
  declare_outcome_options(parser, settings.outcome);
}

Result<FsckReport> run_watched(Context& context, const Settings& settings, FsckOptions options) {
  std::mutex mutex;
  if (settings.verbose) {
    options.note = [&](const std::string& line) {
      const std::lock_guard lock(mutex);
      context.err.write(line + "\n");
    };
  }
  if (!settings.progress || settings.verbose) return run_fsck(context.system, options);
  FsckProgress progress;
  options.progress = &progress;
  auto report = [&] {
    const ProgressLine line(progress, context.err);
    return run_fsck(context.system, options);
  }();
  print_commit_graph_progress(context, progress.commit_graph_commits);
  print_multi_pack_index_progress(context, progress.multi_pack_index_objects);
  return report;
}

// Finds out what the names of objects stand for in this repository.
Result<void> resolve_heads(Context& context, FsckOptions& options) {
  if (options.heads.empty()) return {};
  const auto store = ObjectStore::open(context.system, options.repository);
  if (!store) return tl::unexpected<Fault>(store.error());
  ObjectReader reader((*store)->objects());
  ObjectNames names(**store, reader);
  for (FsckHead& head : options.heads) {
    const NamedObject named = names.resolve(head.name);
    if (named.state == NamedObject::State::kFound) head.id = named.id;
  }
  return {};
}

int check_one(Context& context, const Settings& settings, FsckOptions options) {
  Outcome outcome(context, settings.outcome, options.repository);
  if (const auto status = outcome.begin()) return *status;
  if (auto resolved = resolve_heads(context, options); !resolved) {
    return outcome.fail(resolved.error());
  }
  const auto report = run_watched(context, settings, options);
  if (!report) return outcome.fail(report.error());
  const int status = outcome.finish(*report);
  if (settings.profile) context.err.write(stage_table(report->statistics));
  if (settings.statistics) context.err.write(statistics_line(report->statistics) + "\n");
  return status;
}

int run(Context& context, Arguments arguments) {
  Settings settings;
  settings.fsck.temporary_directory = temporary_directory();
  OptionParser parser({"assay fsck [<options>] [<object>...]",
                       "assay fsck [<options>] --repo <path> [--repo <path>...]"});
  declare_options(parser, settings);
  if (const auto status = parser.parse(context, arguments)) return *status;
  FsckOptions options = settings.fsck;
  options.detect_collisions = settings.detect;
  options.repository.git_dir = context.globals.git_dir;
  options.repository.overrides = context.globals.config;
  for (const std::string& name : parser.positional()) options.heads.push_back({name, std::nullopt});
  if (options.lost_found) {
    options.full = true;
    options.use_reflogs = false;
  }
  if (settings.cache) options.use_index = true;
  if (settings.repositories.empty()) return check_one(context, settings, options);
  if (settings.repositories.size() > 1 &&
      (settings.outcome.baseline || settings.outcome.write_baseline)) {
    return parser.usage_error(context, "a baseline is of one repository");
  }
  int status = 0;
  for (const std::string& path : settings.repositories) {
    FsckOptions one = options;
    one.repository.directory = path;
    if (settings.repositories.size() > 1) context.err.write("Checking repository " + path + "\n");
    const int result = check_one(context, settings, one);
    status = joined_status(settings.outcome, status, result);
  }
  return status;
}

}  // namespace

int run_fsck_command(Context& context, Arguments arguments) {
  return with_exit_codes(context, arguments, run);
}

}  // namespace assay::tools
