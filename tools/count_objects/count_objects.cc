#include "tools/count_objects/count_objects.h"

#include <fmt/format.h>

#include "store/inspect.h"
#include "tools/common/open_store.h"
#include "tools/common/options.h"
#include "tools/common/quote.h"

namespace assay::tools {
namespace {

// Returns: the size in git's words, "1.23 MiB". Rounding as git rounds.
std::string human_size(std::uint64_t bytes) {
  if (bytes > std::uint64_t{1} << 30) {
    return fmt::format("{}.{:02} GiB", bytes >> 30,
                       (bytes & ((std::uint64_t{1} << 30) - 1)) / 10737419);
  }
  if (bytes > std::uint64_t{1} << 20) {
    const std::uint64_t rounded = bytes + 5243;
    return fmt::format("{}.{:02} MiB", rounded >> 20,
                       ((rounded & ((std::uint64_t{1} << 20) - 1)) * 100) >> 20);
  }
  if (bytes > std::uint64_t{1} << 10) {
    const std::uint64_t rounded = bytes + 5;
    return fmt::format("{}.{:02} KiB", rounded >> 10,
                       ((rounded & ((std::uint64_t{1} << 10) - 1)) * 100) >> 10);
  }
  return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
}

}  // namespace

int run_count_objects(Context& context, Arguments arguments) {
  int verbose = 0;
  bool human = false;
  OptionParser parser({"assay count-objects [-v] [-H | --human-readable]"});
  parser.count('v', "verbose", "be verbose", &verbose);
  parser.flag('H', "human-readable", "print sizes in human readable format", &human);
  if (const auto status = parser.parse(context, arguments)) return *status;
  if (!parser.positional().empty()) return parser.usage(context);
  const auto store = open_store(context);
  if (store == nullptr) return kExitFatal;

  const ObjectCounts counts = count_objects(*store, verbose > 0);
  for (const std::string& garbage : counts.garbage_messages) print_warning(context, garbage);
  const auto size_text = [human](std::uint64_t bytes) {
    return human ? human_size(bytes) : std::to_string(bytes / 1024);
  };
  if (verbose == 0) {
    context.out.write(fmt::format("{} objects, {}{}\n", counts.loose,
                                  size_text(counts.loose_disk_size), human ? "" : " kilobytes"));
    return 0;
  }
  context.out.write(fmt::format("count: {}\n", counts.loose));
  context.out.write(fmt::format("size: {}\n", size_text(counts.loose_disk_size)));
  context.out.write(fmt::format("in-pack: {}\n", counts.in_packs));
  context.out.write(fmt::format("packs: {}\n", counts.packs));
  context.out.write(fmt::format("size-pack: {}\n", size_text(counts.packs_size)));
  context.out.write(fmt::format("prune-packable: {}\n", counts.prune_packable));
  context.out.write(fmt::format("garbage: {}\n", counts.garbage));
  context.out.write(fmt::format("size-garbage: {}\n", size_text(counts.garbage_size)));
  for (const std::string& alternate : counts.alternates) {
    context.out.write(fmt::format("alternate: {}\n", quote_c_style(alternate)));
  }
  return 0;
}

}  // namespace assay::tools
