#include "tools/fsck/outcome.h"

#include <exception>
#include <new>

#include "tools/common/finding_lines.h"
#include "tools/common/open_store.h"
#include "tools/fsck/json_lines.h"

namespace assay::tools {
namespace {

// Looked for before the options are parsed, since parsing may fail.
bool asks_for_simple(Arguments arguments) {
  bool simple = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") break;
    if (argument == "--exit-code" && i + 1 < arguments.size()) {
      simple = std::string_view(arguments[++i]) == "simple";
    } else if (argument.starts_with("--exit-code=")) {
      simple = argument == "--exit-code=simple";
    }
  }
  return simple;
}

}  // namespace

void declare_outcome_options(OptionParser& parser, OutcomeSettings& settings) {
  using Format = OutcomeSettings::Format;
  parser.value(0, "format", "format", "print text (default) or jsonl: a JSON object a line",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 if (text != "text" && text != "jsonl") return "format expects text or jsonl";
                 settings.format = text == "text" ? Format::kText : Format::kJsonLines;
                 return std::nullopt;
               });
  parser.value(0, "exit-code", "kind", "end with git's bits (default) or a simple status",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 if (text != "git" && text != "simple") return "exit-code expects git or simple";
                 settings.exit_codes = text == "git" ? ExitCodes::kGit : ExitCodes::kSimple;
                 return std::nullopt;
               });
  parser.flag(0, "strict-exit", "let the simple status tell of warnings and cosmetic errors",
              &settings.strict_exit);
}

int joined_status(const OutcomeSettings& settings, int status, int result) {
  if (settings.exit_codes == ExitCodes::kSimple) return joined_simple_status(status, result);
  // What was found for certain counts before what is inconclusive.
  constexpr int kInconclusive = static_cast<int>(ExitBit::kBitInconclusive);
  if (result == kInconclusive && status != 0) return status;
  if (status == kInconclusive && result != 0) return result;
  // A repository that cannot be checked at all must not hide among the bits of others.
  return result == kExitFatal || status == kExitFatal ? kExitFatal : status | result;
}

int with_exit_codes(Context& context, Arguments arguments, int (*run)(Context&, Arguments)) {
  if (!asks_for_simple(arguments)) return run(context, arguments);
  int status = kSimpleInternal;
  try {
    status = run(context, arguments);
  } catch (const std::bad_alloc&) {
    die(context, "Out of memory");
    return kSimpleTransient;
  } catch (const std::exception& error) {
    die(context, error.what());
    return kSimpleInternal;
  }
  context.out.flush();
  if (context.out.failed() != 0 && status == kSimpleSound) {
    die(context, "write failure on standard output: " + os::Error{context.out.failed()}.text());
    return kSimpleTransient;
  }
  return status == kExitUsage ? kSimpleUsage : status;
}

void Outcome::begin(const Repository& repository) {
  if (json()) context_.out.write(json_run(repository.git_dir()));
}

int Outcome::finish(const FsckReport& report) {
  const int status =
      simple() ? simple_status(report.findings, settings_.strict_exit) : report.exit_status;
  if (json()) {
    for (const Finding& finding : report.findings) context_.out.write(json_finding(finding));
    context_.out.write(json_summary_fields(report.statistics, report.findings, status).str() +
                       "\n");
  } else {
    render_findings(report.findings, context_.out, context_.err);
  }
  context_.out.flush();
  return status;
}

int Outcome::fail(const Fault& fault) {
  const int status = simple() ? simple_status(fault) : kExitFatal;
  if (json()) context_.out.write(json_failure(fault, status));
  die_of(context_, fault);
  return status;
}

}  // namespace assay::tools
