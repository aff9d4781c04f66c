#include "tools/common/verify_command.h"

#include <fmt/format.h>

#include "tools/common/finding_lines.h"

namespace assay::tools {

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
  for (const Finding& finding : findings) {
    if (finding.bit == ExitBit::kBitDies) {
      for (const std::string& cause : finding.causes) print_error(context, cause);
      status = die(context, finding.text);
      continue;
    }
    render_findings({&finding, 1}, context.out, context.err);
    if (finding.severity >= Severity::kError && status == 0) status = failure;
    if (finding.text.starts_with("fatal: ")) status = kExitFatal;
  }
  return status;
}

void print_progress(Context& context, std::string_view title, std::uint64_t total) {
  context.err.write(fmt::format("{}: 100% ({}/{}), done.\n", title, total, total));
}

}  // namespace assay::tools
