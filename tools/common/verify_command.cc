#include "tools/common/verify_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/common/finding_lines.h"

namespace assay::tools {
namespace {

void print_progress(Context& context, std::string_view title, std::uint64_t total) {
  context.err.write(fmt::format("{}: 100% ({}/{}), done.\n", title, total, total));
}

}  // namespace

void declare_verify_options(OptionParser& parser, VerifyDerivedOptions& options, bool& progress) {
  parser.value(0, "object-dir", "dir", "the object directory whose files are verified",
               [&options](std::string_view text) -> std::optional<std::string> {
                 options.object_directory = std::string(text);
                 return std::nullopt;
               });
  parser.flag(0, "progress", "force progress reporting", &progress);
}

std::optional<int> require_verify(Context& context, const OptionParser& parser) {
  const std::vector<std::string>& words = parser.positional();
  if (words.empty()) return parser.usage_error(context, "need a subcommand");
  if (words[0] != "verify") {
    return parser.usage_error(context, fmt::format("unknown subcommand: `{}'", words[0]));
  }
  if (words.size() > 1) return parser.usage(context);
  return std::nullopt;
}

int print_verified(Context& context, std::span<const Finding> findings, int failure) {
  int status = 0;
  const auto dies = [](const Finding& finding) { return finding.bit == ExitBit::kBitDies; };
  while (!findings.empty()) {
    const auto fatal = std::find_if(findings.begin(), findings.end(), dies);
    const auto before = findings.first(static_cast<std::size_t>(fatal - findings.begin()));
    render_findings(before, context.out, context.err);
    for (const Finding& finding : before) {
      if (finding.text.starts_with("fatal: ")) status = kExitFatal;
      if (finding.severity >= Severity::kError && status == 0) status = failure;
    }
    findings = findings.subspan(before.size());
    if (findings.empty()) break;
    for (const std::string& cause : findings[0].causes) print_error(context, cause);
    status = die(context, findings[0].text);
    findings = findings.subspan(1);
  }
  return status;
}

void print_commit_graph_progress(Context& context, std::uint64_t commits) {
  if (commits > 0) print_progress(context, "Verifying commits in commit graph", commits);
}

void print_multi_pack_index_progress(Context& context, std::uint64_t objects) {
  if (objects == 0) return;
  print_progress(context, "Verifying OID order in multi-pack-index", objects - 1);
  print_progress(context, "Sorting objects by packfile", objects);
  print_progress(context, "Verifying object offsets", objects);
}

}  // namespace assay::tools
