#include "tools/fsck/outcome.h"

#include "tools/common/finding_lines.h"
#include "tools/common/open_store.h"
#include "tools/fsck/json_lines.h"

namespace assay::tools {

void declare_outcome_options(OptionParser& parser, OutcomeSettings& settings) {
  using Format = OutcomeSettings::Format;
  parser.value(0, "format", "format", "print text (default) or jsonl: a JSON object a line",
               [&settings](std::string_view text) -> std::optional<std::string> {
                 if (text != "text" && text != "jsonl") return "format expects text or jsonl";
                 settings.format = text == "text" ? Format::kText : Format::kJsonLines;
                 return std::nullopt;
               });
}

void Outcome::begin(const Repository& repository) {
  if (json()) context_.out.write(json_run(repository.git_dir()));
}

int Outcome::finish(const FsckReport& report) {
  const int status = report.exit_status;
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
  if (json()) context_.out.write(json_failure(fault, kExitFatal));
  return die_of(context_, fault);
}

}  // namespace assay::tools
