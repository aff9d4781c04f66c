#include "tools/fsck/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <vector>

#include "store/report/exit_status.h"
#include "tools/common/finding_lines.h"
#include "tools/common/open_store.h"
#include "tools/fsck/advice.h"
#include "tools/fsck/json_lines.h"
#include "tools/fsck/losses.h"

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
  parser.flag(0, "advice", "end with hints what to do (default on a terminal)", &settings.advice);
  parser.flag(0, "explain", "say what missing and damaged objects were (default with jsonl)",
              &settings.explain);
  parser.value(0, "baseline", "file", "do not report the findings in that file again",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 settings.baseline = text;
                 return std::nullopt;
               });
  parser.value(0, "write-baseline", "file", "write the findings to that file",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 if (text.empty()) return "write-baseline expects the name of a file";
                 settings.write_baseline = text;
                 return std::nullopt;
               });
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

Result<void> Outcome::read_baseline(const GitConfig& config) {
  using Origin = Baseline::Origin;
  Origin origin = Origin::kOption;
  if (settings_.baseline) {
    baseline_file_ = *settings_.baseline;
  } else {
    origin = Origin::kConfig;
    // git refuses a key of its section "fsck" that it does not know; the other name suits both.
    for (const char* key : {"fsck.baseline", "assay.baseline"}) {
      if (const auto file = config.get_path(key)) baseline_file_ = *file;
    }
  }
  if (baseline_file_.empty()) return {};
  auto baseline = Baseline::read(context_.system, baseline_file_, origin);
  if (!baseline) return tl::unexpected<Fault>(std::move(baseline.error()));
  baseline_ = std::move(*baseline);
  return {};
}

std::optional<int> Outcome::begin() {
  const auto repository = Repository::open(context_.system, open_);
  if (!repository) return fail(repository.error());
  repository_ = repository->git_dir();
  if (json()) context_.out.write(json_run(repository_));
  if (const auto read = read_baseline(repository->config()); !read) {
    return fail(read.error(), kSimpleUsage);
  }
  return std::nullopt;
}

void Outcome::report_baseline(std::size_t known, std::size_t fresh,
                              const std::vector<std::string>& gone) {
  constexpr std::size_t kMostNamed = 20;
  for (std::size_t i = 0; i < gone.size() && i < kMostNamed; ++i) {
    context_.err.write(fmt::format("gone: {}\n", printable(gone[i])));
  }
  const auto count = [](std::size_t number) {
    return number == 0 ? std::string("none") : std::to_string(number);
  };
  context_.err.write(fmt::format("baseline {}: {} known finding{}, {} new, {} gone\n",
                                 printable(baseline_file_),
                                 known == 0 ? "no" : std::to_string(known), known == 1 ? "" : "s",
                                 count(fresh), count(gone.size())));
}

int Outcome::finish(const FsckReport& report) {
  std::vector<Finding> fresh;
  std::span<const Finding> findings = report.findings;
  int status = report.exit_status;
  if (!baseline_file_.empty()) {
    ExitStatus git_status;
    for (const Finding& finding : report.findings) {
      if (baseline_.knows(finding)) continue;
      git_status.add(finding);
      fresh.push_back(finding);
    }
    findings = fresh;
    status = git_status.value();
  }
  if (simple()) status = simple_status(findings, settings_.strict_exit);
  const std::size_t known = report.findings.size() - findings.size();
  const std::vector<std::string> gone = baseline_.gone();
  // Notes are printed as ever, but nobody has to look at them.
  const auto new_faults = static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [](const Finding& finding) { return finding.severity >= Severity::kWarn; }));
  Losses losses;
  if (settings_.explain.value_or(json())) losses = Losses::of(context_.system, open_, findings);
  if (json()) {
    for (const Finding& finding : findings) {
      JsonObject record = json_finding_fields(finding);
      losses.add_to(record, finding);
      context_.out.write(record.str() + "\n");
    }
    JsonObject summary = json_summary_fields(report.statistics, findings, status);
    if (!baseline_file_.empty()) {
      summary.object("baseline", JsonObject()
                                     .text("file", baseline_file_)
                                     .number("known", known)
                                     .number("new", new_faults)
                                     .texts("gone", gone));
    }
    context_.out.write(summary.str() + "\n");
  } else {
    render_findings(findings, context_.out, context_.err);
  }
  context_.out.flush();
  if (settings_.explain.value_or(false)) context_.err.write(losses.hints());
  if (settings_.advice) context_.err.write(advice(findings));
  if (!baseline_file_.empty()) report_baseline(known, new_faults, gone);
  if (settings_.write_baseline) {
    const auto written =
        write_baseline(context_.system, *settings_.write_baseline, repository_, report.findings);
    if (!written) {
      die_of(context_, written.error());
      return simple() ? kSimpleTransient : kExitFatal;
    }
  }
  return status;
}

int Outcome::fail(const Fault& fault) { return fail(fault, simple_status(fault)); }

int Outcome::fail(const Fault& fault, int simple_status) {
  const int status = simple() ? simple_status : kExitFatal;
  if (json()) context_.out.write(json_failure(fault, status));
  die_of(context_, fault);
  return status;
}

}  // namespace assay::tools
