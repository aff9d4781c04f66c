#include "tools/verify_pack/verify_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "store/verify_pack.h"
#include "tools/common/finding_lines.h"
#include "tools/common/open_store.h"
#include "tools/common/options.h"

namespace assay::tools {
namespace {

void print_entries(Output& out, const std::vector<PackEntryInfo>& entries) {
  for (const PackEntryInfo& entry : entries) {
    out.write(fmt::format("{} {:<6} {} {} {}", entry.id.hex(), type_name(entry.type), entry.size,
                          entry.size_in_pack, entry.offset));
    if (entry.base) out.write(fmt::format(" {} {}", entry.depth, entry.base->hex()));
    out.write("\n");
  }
}

void print_histogram(Output& out, const std::vector<PackEntryInfo>& entries) {
  std::map<std::uint32_t, std::size_t> lengths;
  std::size_t whole = 0;
  for (const PackEntryInfo& entry : entries) {
    if (entry.base) {
      ++lengths[entry.depth];
    } else {
      ++whole;
    }
  }
  out.write(fmt::format("non delta: {} object{}\n", whole, whole == 1 ? "" : "s"));
  for (const auto& [length, count] : lengths) {
    out.write(
        fmt::format("chain length = {}: {} object{}\n", length, count, count == 1 ? "" : "s"));
  }
}

// Returns: the path that git prints: with the suffix of the pack.
std::string shown_pack(const std::string& argument) {
  for (const std::string_view suffix : {".idx", ".pack"}) {
    if (argument.ends_with(suffix)) {
      return argument.substr(0, argument.size() - suffix.size()) + ".pack";
    }
  }
  return argument + ".pack";
}

}  // namespace

int run_verify_pack_command(Context& context, Arguments arguments) {
  bool verbose = false;
  bool statistics_only = false;
  bool kind_given = false;
  VerifyPackOptions options;
  options.temporary_directory = temporary_directory();
  options.threads = os::usable_cpus();
  OptionParser parser({"assay verify-pack [-v | --verbose] [-s | --stat-only] [--] <pack>.idx..."});
  parser.takes_place_of("git verify-pack [<options>] [--] <pack>.idx...");
  parser.flag('v', "verbose", "verbose", &verbose);
  parser.flag('s', "stat-only", "show statistics only", &statistics_only);
  parser.value(0, "object-format", "hash", "specify the hash algorithm to use",
               [&](std::string_view text) -> std::optional<std::string> {
                 const auto kind = parse_hash_name(text);
                 if (!kind) return "unknown hash algorithm '" + std::string(text) + "'";
                 options.kind = *kind;
                 kind_given = true;
                 return std::nullopt;
               });
  if (const auto status = parser.parse(context, arguments)) return *status;
  if (parser.positional().empty()) return parser.usage(context);
  // Without a repository there is nothing that tells the hash.
  if (const auto repository = Repository::open(context.system, open_options(context));
      repository && !kind_given) {
    options.kind = repository->hash_kind();
  }
  options.list_entries = verbose || statistics_only;
  int status = 0;
  for (const std::string& path : parser.positional()) {
    const VerifyPackReport report = verify_pack(context.system, path, options);
    render_findings(report.findings, context.out, context.err);
    if (!report.ok()) status = 1;
    if (options.list_entries && report.ok()) {
      if (!statistics_only) print_entries(context.out, report.entries);
      print_histogram(context.out, report.entries);
    }
    if (!report.ok() && options.list_entries) {
      context.out.write(shown_pack(path) + ": bad\n");
    } else if (verbose && !statistics_only) {
      context.out.write(shown_pack(path) + ": ok\n");
    }
  }
  return status;
}

}  // namespace assay::tools
